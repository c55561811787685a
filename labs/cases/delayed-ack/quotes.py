# SPDX-License-Identifier: MIT
"""quotes - a client asks for quotes over one connection

quotes.py parts|whole SECONDS

'parts': a request is sent as head and body. 'whole': it is sent at once.
"""
import os
import socket
import sys
import threading
import time


def exactly(connection, n):
    data = b""
    while len(data) < n:
        more = connection.recv(n - len(data))
        if not more:
            return b""
        data += more
    return data


def serve(listener):
    connection, _ = listener.accept()
    while True:
        head = exactly(connection, 4)
        if not head:
            return
        exactly(connection, int(head))
        connection.sendall(b"0042.500")


def quote_ask(connection, name, in_parts):
    head = b"%04d" % len(name)
    if in_parts:
        connection.send(head)
        connection.send(name)
    else:
        connection.send(head + name)
    return exactly(connection, 8)


def main():
    listener = socket.create_server(("127.0.0.1", 0))
    threading.Thread(target=serve, args=(listener,), daemon=True).start()
    connection = socket.create_connection(listener.getsockname())
    end = time.monotonic() + float(sys.argv[2])
    count = 0
    while time.monotonic() < end:
        quote_ask(connection, b"share-%d" % (count % 50), sys.argv[1] == "parts")
        count += 1
    print("quotes", count, flush=True)
    os._exit(0)


main()
