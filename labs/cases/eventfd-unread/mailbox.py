# SPDX-License-Identifier: MIT
"""mailbox - an event loop that other threads wake through an eventfd

mailbox.py kept|read SECONDS
"""
import os
import select
import sys
import threading
import time


def messages_send(fd, end):
    while time.monotonic() < end:
        time.sleep(0.05)
        os.eventfd_write(fd, 1)


def main():
    end = time.monotonic() + float(sys.argv[2])
    fd = os.eventfd(0, os.EFD_NONBLOCK)
    poll = select.epoll()
    poll.register(fd, select.EPOLLIN)
    sender = threading.Thread(target=messages_send, args=(fd, end))
    sender.start()
    turns = 0
    while time.monotonic() < end:
        for ready, _ in poll.poll(0.2):
            turns += 1
            if sys.argv[1] == "read":
                os.eventfd_read(ready)
    sender.join()
    print("turns", turns)


main()
