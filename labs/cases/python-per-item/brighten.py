# SPDX-License-Identifier: MIT
"""brighten - make pictures brighter, byte by byte or by a table

brighten.py bytes|table SECONDS
"""
import sys
import time

TABLE = bytes(min(255, i + 20) for i in range(256))


def picture_brighten(picture):
    out = bytearray(len(picture))
    for i, value in enumerate(picture):
        value += 20
        out[i] = value if value < 255 else 255
    return bytes(out)


def main():
    picture = bytes(i * 7 % 256 for i in range(300000))
    end = time.monotonic() + float(sys.argv[2])
    count = size = 0
    while time.monotonic() < end:
        size += len(picture_brighten(picture) if sys.argv[1] == "bytes"
                    else picture.translate(TABLE))
        count += 1
    print("pictures", count, size)


main()
