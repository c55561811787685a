# SPDX-License-Identifier: MIT
"""widgets - render pages; a widget's picture may be in any of the theme folders

widgets.py again|once SECONDS
"""
import os
import sys
import time

FOLDERS = ["themes/%02d/images" % i for i in range(40)]
KNOWN = {}


def picture_path(name, keeps):
    """The first folder that has the picture."""
    if keeps and name in KNOWN:
        return KNOWN[name]
    for folder in FOLDERS:
        path = os.path.join(folder, name)
        if os.path.exists(path):
            KNOWN[name] = path
            return path
    return None


def page_render(number, keeps):
    return "".join("<img src='%s'>" % picture_path("icon-%d.png" % (i % 12), keeps)
                   for i in range(number % 7 + 20))


def main():
    os.makedirs(FOLDERS[-1], exist_ok=True)
    for i in range(12):
        with open(os.path.join(FOLDERS[-1], "icon-%d.png" % i), "w", encoding="ascii"):
            pass
    end = time.monotonic() + float(sys.argv[2])
    size = number = 0
    while time.monotonic() < end:
        size += len(page_render(number, sys.argv[1] == "once"))
        number += 1
    print("pages", number, size)


main()
