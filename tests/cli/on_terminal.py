#!/usr/bin/env python3
"""on_terminal COLUMNS COMMAND...: runs a command whose stdout is a terminal of that width, prints what it wrote (\\e for escape)."""

import fcntl
import os
import pty
import struct
import subprocess
import sys
import termios

main_side, terminal = pty.openpty()
fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, int(sys.argv[1]), 0, 0))
with subprocess.Popen(sys.argv[2:], stdout=terminal) as process:
    os.close(terminal)
    written = b""
    try:
        while data := os.read(main_side, 65536):
            written += data
    except OSError:  # the other side is closed
        pass
sys.stdout.write(written.decode().replace("\r\n", "\n").replace("\033", "\\e"))
sys.exit(process.returncode)
