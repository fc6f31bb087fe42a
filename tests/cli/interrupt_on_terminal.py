#!/usr/bin/env python3
"""interrupt_on_terminal [--hold SECONDS] WORD COMMAND...: runs a command whose stderr is a terminal and presses Ctrl-C when its
progress says WORD. With --hold, it is stopped for so long instead, and then goes on.

Prints what the command wrote to stdout and then its exit status."""

import os
import pty
import signal
import subprocess
import sys
import time

arguments = sys.argv[1:]
hold = float(arguments[1]) if arguments[0] == "--hold" else None
word, *command = arguments[2 if hold else 0 :]
main_side, terminal = pty.openpty()
with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=terminal) as process:
    os.close(terminal)
    said = b""
    try:
        while word.encode() not in said and (data := os.read(main_side, 65536)):
            said += data
        if hold:
            process.send_signal(signal.SIGSTOP)
            time.sleep(hold)
        process.send_signal(signal.SIGCONT if hold else signal.SIGINT)
        while os.read(main_side, 65536):  # or its writes would wait
            pass
    except OSError:  # the other side is closed
        pass
    sys.stdout.write(process.stdout.read().decode())
if word.encode() not in said:
    print(f"it never said {word}: {said}")
print(f"status {process.returncode}")
