"""Tests an echo server. The only argument is its URL; the exit status is the result.

The server closes with 4003 and a reason when it is sent "close me", and pings when it is sent
"ping me"; at /closed it sends "ready" first, and is then closed by this side.
"""

import asyncio
import sys

from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, InvalidStatus


async def echoes(url):
    # Compression is offered, by default, and not accepted.
    async with connect(url, subprotocols=["v1", "v2"], max_size=1 << 25) as connection:
        assert connection.protocol.extensions == [], connection.protocol.extensions
        assert connection.subprotocol == "v2", connection.subprotocol
        for message in ["hello", "", "grüße 🎉", b"\x00\xff", b"x" * (1 << 20)]:
            await connection.send(message)
            assert await connection.recv() == message
        await connection.send(["frag", "men", "", "ted"])
        assert await connection.recv() == "fragmented"
        await connection.send([b"a", b"b" * 100_000, b"c"])
        assert await connection.recv() == b"a" + b"b" * 100_000 + b"c"
        # One read may contain several messages.
        for number in range(1_000):
            await connection.send(str(number))
        for number in range(1_000):
            assert await connection.recv() == str(number)


async def pings(url):
    async with connect(url) as connection:
        await asyncio.wait_for(await connection.ping(b"are you there"), 5)
        await connection.send("ping me")
        assert await connection.recv() == "pong"


async def closes(url):
    async with connect(url + "closed") as connection:
        assert await connection.recv() == "ready"
        await connection.close(4001, "bye from Python")
        assert connection.close_code == 4001, connection.close_code


async def is_closed(url):
    async with connect(url) as connection:
        await connection.send("close me")
        try:
            await connection.recv()
            raise AssertionError("still open")
        except ConnectionClosed as closed:
            assert closed.rcvd.code == 4003, closed
            assert closed.rcvd.reason == "genug für heute", closed


async def breaks_the_rules(url):
    async with connect(url) as connection:
        await connection.send(b"\xff", text=True)
        try:
            await connection.recv()
            raise AssertionError("still open")
        except ConnectionClosed as closed:
            assert closed.rcvd.code == 1007, closed


async def main():
    url = sys.argv[1]
    for check in [echoes, pings, closes, is_closed, breaks_the_rules]:
        await asyncio.wait_for(check(url), 30)
        print(check.__name__, flush=True)


asyncio.run(main())
