"""Ask for one large value again and again: read each answer, or leave all of them to the server."""
import socket
import sys
import time

MIB = 1 << 20


def main():
    port, is_read = int(sys.argv[1]), sys.argv[2] == "read"
    with socket.create_connection(("127.0.0.1", port)) as s:
        s.sendall(b"*3\r\n$3\r\nSET\r\n$4\r\npage\r\n$%d\r\n%s\r\n" % (MIB, b"x" * MIB))
        s.recv(5)
        for _ in range(400):
            s.sendall(b"*2\r\n$3\r\nGET\r\n$4\r\npage\r\n")
            left = MIB + 12 if is_read else 0
            while left > 0:
                left -= len(s.recv(left))
        time.sleep(60)


main()
