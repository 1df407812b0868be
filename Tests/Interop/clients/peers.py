"""WebSockets by aiohttp, tornado and wsproto, in both roles.

    peers.py ask NAME URL     checks a server of this package; the exit status is the verdict
    peers.py serve NAME       echoes, and prints its URL first
"""

import asyncio
import os
import socket
import sys
import threading

MESSAGES = ["hello", "", "grüße 🎉", b"", b"\x00\xff", os.urandom(1 << 20), "ü" * (1 << 19)]
PROTOCOLS = ["chat.v1", "chat.v2"]
LIMIT = 1 << 25


def free_port():
    listener = socket.create_server(("127.0.0.1", 0))
    return listener, listener.getsockname()[1]


def expect(found, expected, what):
    if found != expected:
        raise SystemExit(f"{what}: {found!r:.80}, not {expected!r:.80}")


# -- aiohttp -----------------------------------------------------------------------------------------


async def ask_aiohttp(url):
    import aiohttp
    async with aiohttp.ClientSession() as session:
        def connect(path, **options):
            return session.ws_connect(url + path, max_msg_size=0, **options)
        async with connect("echo", compress=15, protocols=PROTOCOLS) as peer:
            expect(peer.protocol, "chat.v2", "the subprotocol")
            expect(bool(peer.compress), True, "deflate")
            for message in MESSAGES:
                await (peer.send_str if isinstance(message, str) else peer.send_bytes)(message)
                expect((await peer.receive()).data, message, "an echo")
            for number in range(1_000):
                await peer.send_str(str(number))
            for number in range(1_000):
                expect((await peer.receive()).data, str(number), "the order")
            await peer.ping(b"there?")
            await peer.close(code=4001, message=b"bye")
            expect(peer.close_code, 4001, "the code of our close")
        async with connect("close?4002") as peer:
            message = await peer.receive()
            expect((message.type, message.data), (aiohttp.WSMsgType.CLOSE, 4002), "the code of its close")
        try:
            await connect("refused")
        except aiohttp.WSServerHandshakeError as error:
            expect(error.status, 401, "the refusal")
        else:
            raise SystemExit("it was not refused")


async def serve_aiohttp():
    from aiohttp import WSMsgType, web

    async def echo(request):
        peer = web.WebSocketResponse(max_msg_size=0, protocols=PROTOCOLS)
        await peer.prepare(request)
        async for message in peer:
            if message.type == WSMsgType.TEXT:
                await peer.send_str(message.data)
            elif message.type == WSMsgType.BINARY:
                await peer.send_bytes(message.data)
        return peer

    application = web.Application()
    application.router.add_get("/", echo)
    runner = web.AppRunner(application)
    await runner.setup()
    listener, port = free_port()
    await web.SockSite(runner, listener).start()
    print(f"ws://127.0.0.1:{port}/", flush=True)
    await asyncio.Event().wait()


# -- tornado -----------------------------------------------------------------------------------------


async def ask_tornado(url):
    from tornado.httpclient import HTTPClientError
    from tornado.websocket import websocket_connect

    def connect(path, **options):
        return websocket_connect(url + path, max_message_size=LIMIT, **options)
    peer = await connect("echo", compression_options={}, subprotocols=PROTOCOLS)
    expect(peer.selected_subprotocol, "chat.v2", "the subprotocol")
    for message in MESSAGES:
        await peer.write_message(message, binary=isinstance(message, bytes))
        expect(await peer.read_message(), message, "an echo")
    for number in range(1_000):
        peer.write_message(str(number))
    for number in range(1_000):
        expect(await peer.read_message(), str(number), "the order")
    peer.close(4001, "bye")
    expect(await peer.read_message(), None, "the end")
    expect(peer.close_code, 4001, "the code of our close")
    peer = await connect("close?4002")
    expect(await peer.read_message(), None, "the end")
    expect((peer.close_code, peer.close_reason), (4002, 'as "asked": ü'), "its close")
    try:
        await connect("refused")
    except HTTPClientError as error:
        expect(error.code, 401, "the refusal")
    else:
        raise SystemExit("it was not refused")


async def serve_tornado():
    from tornado.httpserver import HTTPServer
    from tornado.web import Application
    from tornado.websocket import WebSocketHandler

    class Echo(WebSocketHandler):
        def select_subprotocol(self, offered):
            return next((name for name in PROTOCOLS if name in offered), None)

        def get_compression_options(self):
            return {}

        def on_message(self, message):
            self.write_message(message, binary=isinstance(message, bytes))

    listener, port = free_port()
    listener.setblocking(False)
    server = HTTPServer(Application([("/", Echo)], websocket_max_message_size=LIMIT))
    server.add_socket(listener)
    print(f"ws://127.0.0.1:{port}/", flush=True)
    await asyncio.Event().wait()


# -- wsproto -----------------------------------------------------------------------------------------


class Wire:
    """wsproto, which has no I/O, over a socket."""

    def __init__(self, peer, role):
        from wsproto import WSConnection
        self.peer, self.protocol = peer, WSConnection(role)
        self.waiting = iter(())

    def send(self, event):
        self.peer.sendall(self.protocol.send(event))

    def next(self):
        while (event := next(self.waiting, None)) is None:
            # None: the peer has ended.
            self.protocol.receive_data(self.peer.recv(1 << 16) or None)
            self.waiting = self.protocol.events()
        return event

    def message(self):
        from wsproto.events import Message, Ping
        parts = []
        while True:
            event = self.next()
            if isinstance(event, Ping):
                self.send(event.response())
            elif isinstance(event, Message):
                parts.append(event.data)
                if event.message_finished:
                    return (b"" if isinstance(event.data, (bytes, bytearray)) else "").join(parts)
            else:
                return event


async def ask_wsproto(url):
    from wsproto import ConnectionType
    from wsproto.events import (
        AcceptConnection, BytesMessage, CloseConnection, Ping, Pong, RejectConnection, Request, TextMessage)
    from wsproto.extensions import PerMessageDeflate
    host, port = url.removeprefix("ws://").rstrip("/").split(":")

    def connect(path, **options):
        wire = Wire(socket.create_connection((host, int(port)), timeout=20), ConnectionType.CLIENT)
        wire.send(Request(host="localhost", target="/" + path, **options))
        return wire
    deflate = PerMessageDeflate()
    wire = connect("echo", extensions=[deflate], subprotocols=PROTOCOLS)
    accepted = wire.next()
    expect(type(accepted), AcceptConnection, "the answer")
    expect(accepted.subprotocol, "chat.v2", "the subprotocol")
    expect(deflate.enabled(), True, "deflate")
    for message in MESSAGES:
        # In fragments.
        half = len(message) // 2
        kind = TextMessage if isinstance(message, str) else BytesMessage
        wire.send(kind(data=message[:half], message_finished=False))
        wire.send(kind(data=message[half:]))
        expect(wire.message(), message, "an echo")
    wire.send(Ping(payload=b"there?"))
    while not isinstance(event := wire.next(), Pong):
        if isinstance(event, Ping):
            wire.send(event.response())
    expect(bytes(event.payload), b"there?", "the pong")
    wire.send(CloseConnection(code=4001, reason="bye"))
    expect(wire.message().code, 4001, "the code of our close")
    wire = connect("close?4002")
    expect(type(wire.next()), AcceptConnection, "the answer")
    event = wire.message()
    expect((event.code, event.reason), (4002, 'as "asked": ü'), "its close")
    wire = connect("refused")
    event = wire.next()
    expect((type(event), event.status_code), (RejectConnection, 401), "the refusal")


async def serve_wsproto():
    from wsproto import ConnectionType
    from wsproto.events import AcceptConnection, BytesMessage, CloseConnection, Request, TextMessage
    from wsproto.extensions import PerMessageDeflate

    def echo(peer):
        wire = Wire(peer, ConnectionType.SERVER)
        request = wire.next()
        assert isinstance(request, Request)
        chosen = next((name for name in PROTOCOLS if name in request.subprotocols), None)
        wire.send(AcceptConnection(subprotocol=chosen, extensions=[PerMessageDeflate()]))
        while True:
            message = wire.message()
            if isinstance(message, CloseConnection):
                wire.send(message.response())
                return peer.close()
            kind = TextMessage if isinstance(message, str) else BytesMessage
            wire.send(kind(data=message))

    listener, port = free_port()
    print(f"ws://127.0.0.1:{port}/", flush=True)
    while True:
        peer, _ = await asyncio.to_thread(listener.accept)
        threading.Thread(target=echo, args=(peer,), daemon=True).start()


def main():
    role, name, *url = sys.argv[1:]
    asyncio.run(globals()[f"{role}_{name}"](*url))


main()
