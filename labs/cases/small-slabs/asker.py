"""Ask for pages at random, and store each page that is missing."""
import random
import socket
import sys
import time

PAGE = b"p" * 900


def main():
    until = time.monotonic() + 40
    pages = random.Random(5)
    with socket.create_connection(("127.0.0.1", int(sys.argv[1]))) as s:
        answers = s.makefile("rb")
        while time.monotonic() < until:
            key = b"page:%d" % pages.randrange(30000)
            s.sendall(b"get %s\r\n" % key)
            if answers.readline().startswith(b"VALUE"):
                answers.readline()
                answers.readline()
            else:
                s.sendall(b"set %s 0 0 %d\r\n%s\r\n" % (key, len(PAGE), PAGE))
                answers.readline()


main()
