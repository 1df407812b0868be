"""An echo server, which simulates faults on request.

Prints its URL. The path says what a connection does:

    /                 echoes every message
    /fragmented       sends every text back in fragments of three characters
    /ping             pings, and sends "pong" when the answer has come
    /close            closes with 4002 and a reason
    /closed           reports its close code to the next connection to /verdict
    /extensions       sends the extensions that were agreed upon
"""

import asyncio

from websockets.asyncio.server import serve

verdict = asyncio.Queue()


async def handle(connection):
    match connection.request.path:
        case "/":
            async for message in connection:
                await connection.send(message)
        case "/fragmented":
            async for message in connection:
                await connection.send(
                    [message[at : at + 3] for at in range(0, len(message), 3)]
                )
        case "/ping":
            await (await connection.ping(b"are you there"))
            await connection.send("pong")
            await connection.wait_closed()
        case "/close":
            await connection.close(4002, "genug für heute")
        case "/closed":
            await connection.wait_closed()
            await verdict.put(f"{connection.close_code} {connection.close_reason}")
        case "/verdict":
            await connection.send(await verdict.get())
        case "/extensions":
            names = [extension.name for extension in connection.protocol.extensions]
            await connection.send(",".join(names))


def choose_subprotocol(connection, offered):
    return next((name for name in ["v2", "v1"] if name in offered), None)


async def main():
    async with serve(
        handle,
        "127.0.0.1",
        0,
        select_subprotocol=choose_subprotocol,
        max_size=1 << 25,
    ) as server:
        port = server.sockets[0].getsockname()[1]
        print(f"ws://127.0.0.1:{port}", flush=True)
        await server.serve_forever()


asyncio.run(main())
