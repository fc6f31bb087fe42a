"""The command line: python -m ridge cost meta-llama/Llama-2-7b-hf. The program of the package takes this process's place."""

import os
import sys

from ridge._serve import program


def main():
    file = program()
    os.execv(file, [file, *sys.argv[1:]])


if __name__ == "__main__":
    main()
