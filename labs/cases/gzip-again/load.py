# SPDX-License-Identifier: MIT
"""load - ask for a page that may be compressed, on eight connections

load.py PATH SECONDS
"""
import http.client
import sys
import threading
import time


def ask(path, end):
    connection = http.client.HTTPConnection("127.0.0.1", 8086)
    while time.monotonic() < end:
        connection.request("GET", path, headers={"Accept-Encoding": "gzip"})
        connection.getresponse().read()


threads = [threading.Thread(target=ask, args=(sys.argv[1], time.monotonic() + float(sys.argv[2])))
           for _ in range(8)]
for t in threads:
    t.start()
for t in threads:
    t.join()
