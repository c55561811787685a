"""Count visits by a script: with the page in its text, or as a parameter."""
import socket
import sys
import time


def command(*words):
    return b"*%d\r\n" % len(words) + b"".join(b"$%d\r\n%s\r\n" % (len(w), w) for w in words)


def main():
    port, is_text = int(sys.argv[1]), sys.argv[2] == "text"
    with socket.create_connection(("127.0.0.1", port)) as s:
        answers = s.makefile("rb")
        for i in range(40000):
            page = b"page:%d" % (i % 30000)
            if is_text:
                s.sendall(command(b"EVAL", b"return redis.call('incr', '" + page + b"')", b"0"))
            else:
                s.sendall(command(b"EVAL", b"return redis.call('incr', KEYS[1])", b"1", page))
            answers.readline()
        time.sleep(60)


main()
