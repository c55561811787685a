# SPDX-License-Identifier: MIT
"""station - read 30 sensors, each twice a second, in one event loop

station.py SECONDS
"""
import asyncio
import sys

readings = []


async def sensor(number):
    while True:
        readings.append(sum(i * number for i in range(2000)))
        await asyncio.sleep(0.5)


async def main():
    tasks = [asyncio.create_task(sensor(n)) for n in range(30)]
    await asyncio.sleep(float(sys.argv[1]))
    for t in tasks:
        t.cancel()


asyncio.run(main())
