#!/usr/bin/env python3
"""interrupt_on_terminal WORD COMMAND...: runs a command whose stderr is a terminal and presses Ctrl-C when its progress says WORD.

Prints what the command wrote to stdout and then its exit status."""

import os
import pty
import signal
import subprocess
import sys

main_side, terminal = pty.openpty()
word = sys.argv[1].encode()
with subprocess.Popen(sys.argv[2:], stdout=subprocess.PIPE, stderr=terminal) as process:
    os.close(terminal)
    said = b""
    try:
        while word not in said and (data := os.read(main_side, 65536)):
            said += data
        process.send_signal(signal.SIGINT)
        while os.read(main_side, 65536):  # or its writes would wait
            pass
    except OSError:  # the other side is closed
        pass
    sys.stdout.write(process.stdout.read().decode())
if word not in said:
    print(f"it never said {sys.argv[1]}: {said}")
print(f"status {process.returncode}")
