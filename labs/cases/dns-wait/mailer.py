# SPDX-License-Identifier: MIT
"""mailer - hand mails to the host that takes them; its name server answers late

mailer.py mail|once SECONDS
"""
import socket
import sys
import threading
import time

HOSTS = {}


def name_server():
    """Answers each question after 150 ms with 127.0.0.1."""
    s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    s.bind(("127.0.0.1", 53))
    while True:
        question, sender = s.recvfrom(512)
        time.sleep(0.15)
        end = question.index(b"\0", 12) + 5
        is_a = question[end - 4:end - 2] == b"\0\1"
        answer = b"\xc0\x0c\0\1\0\1\0\0\0\0\0\4\x7f\0\0\1" if is_a else b""
        s.sendto(question[:2] + b"\x81\x80\0\1\0" + (b"\1" if is_a else b"\0") + b"\0\0\0\0" +
                 question[12:end] + answer, sender)


def host_address(name, keeps):
    if keeps and name in HOSTS:
        return HOSTS[name]
    HOSTS[name] = socket.getaddrinfo(name, 25, socket.AF_INET)[0][4][0]
    return HOSTS[name]


def main():
    if sys.argv[1] == "server":
        name_server()
    end = time.monotonic() + float(sys.argv[2])
    count = 0
    while time.monotonic() < end:
        host_address("mx%d.example.org" % (count % 3), sys.argv[1] == "once")
        count += 1
        time.sleep(0.01)
    print("mails", count)


main()
