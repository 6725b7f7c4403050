"""Runs a command and prints what it cost, as one JSON line.

    measured.py COMMAND [ARGUMENT...]

A program of its own because a child's peak memory starts at that of the process that forked it:
this one is small. Its children's CPU time and peak memory come from wait4; standard output is
passed on in the line, standard error is left alone.
"""
import json
import os
import subprocess
import sys
import tempfile
import time


def main():
    with tempfile.TemporaryFile() as output:
        start = time.perf_counter()
        process = subprocess.Popen(sys.argv[1:], stdout=output)
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.perf_counter() - start
        output.seek(0)
        print(json.dumps({"status": os.waitstatus_to_exitcode(status), "stdout": output.read().decode(),
                          "wall": wall, "cpu": usage.ru_utime + usage.ru_stime, "peak": usage.ru_maxrss * 1024}))


if __name__ == "__main__":
    main()
