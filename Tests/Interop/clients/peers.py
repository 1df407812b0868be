"""WebSockets by aiohttp, tornado and wsproto, in both roles.

    peers.py ask NAME URL     checks a server of this package; the exit status is the verdict
    peers.py serve NAME       echoes at /echo and closes at /close?CODE; prints its URL first, and then how each client
                              of /echo has closed
"""

import asyncio
import os
import socket
import sys
import threading

MESSAGES = ["hello", "", "grüße 🎉", b"", b"\x00\xff", os.urandom(1 << 20), "ü" * (1 << 19)]
PROTOCOLS = ["chat.v1", "chat.v2"]
LIMIT = 1 << 25
REASON = 'as "asked": ü'


def free_port():
    listener = socket.create_server(("127.0.0.1", 0))
    return listener, listener.getsockname()[1]


def ready(port):
    print(f"ws://127.0.0.1:{port}/echo", flush=True)


def closed(code, reason):
    print(f"closed with {code} {reason}", flush=True)


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
            await peer.close(code=4001, message=b"bye")
            expect(peer.close_code, 4001, "the code of our close")
        async with connect("fragments") as peer:
            for part in range(1, 5):
                expect((await peer.receive()).data, str(part) * (1 << 20), "fragments")
        async with connect("alive") as peer:
            expect((await peer.receive()).data, "alive", "the pongs")
        async with connect("echo", autoping=False) as peer:
            await peer.ping(b"there?")
            while (message := await peer.receive()).type == aiohttp.WSMsgType.PING:
                await peer.pong(message.data)
            expect((message.type, message.data), (aiohttp.WSMsgType.PONG, b"there?"), "the pong")
        async with connect("close?4002") as peer:
            message = await peer.receive()
            expect(
                (message.type, message.data, message.extra),
                (aiohttp.WSMsgType.CLOSE, 4002, REASON), "its close")
        try:
            await connect("refused")
        except aiohttp.WSServerHandshakeError as error:
            expect(error.status, 401, "the refusal")
        else:
            raise SystemExit("it was not refused")


async def serve_aiohttp():
    from aiohttp import WSMsgType, web

    async def echo(request):
        # It drops the connection without a pong within half a second of its ping.
        peer = web.WebSocketResponse(max_msg_size=0, protocols=PROTOCOLS, heartbeat=1)
        await peer.prepare(request)
        while True:
            message = await peer.receive()
            if message.type == WSMsgType.TEXT:
                await peer.send_str(message.data)
            elif message.type == WSMsgType.BINARY:
                await peer.send_bytes(message.data)
            else:
                closed(message.data, message.extra)
                return peer

    async def close(request):
        peer = web.WebSocketResponse(protocols=PROTOCOLS)
        await peer.prepare(request)
        await peer.close(code=int(request.query_string), message=REASON.encode())
        return peer

    application = web.Application()
    application.router.add_get("/echo", echo)
    application.router.add_get("/close", close)
    runner = web.AppRunner(application)
    await runner.setup()
    listener, port = free_port()
    await web.SockSite(runner, listener).start()
    ready(port)
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
    pongs = asyncio.Queue()
    peer.on_pong = pongs.put_nowait
    peer.ping(b"there?")
    expect(await asyncio.wait_for(pongs.get(), 20), b"there?", "the pong")
    peer.close(4001, "bye")
    expect(await peer.read_message(), None, "the end")
    expect(peer.close_code, 4001, "the code of our close")
    peer = await connect("fragments")
    for part in range(1, 5):
        expect(await peer.read_message(), str(part) * (1 << 20), "fragments")
    peer = await connect("alive")
    expect(await peer.read_message(), "alive", "the pongs")
    peer = await connect("close?4002")
    expect(await peer.read_message(), None, "the end")
    expect((peer.close_code, peer.close_reason), (4002, REASON), "its close")
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

        has_pong = False

        def on_message(self, message):
            self.write_message(message, binary=isinstance(message, bytes))
            if message == "999":
                self.ping(b"there?")

        def on_pong(self, data):
            self.has_pong = data == b"there?"

        def on_close(self):
            closed(self.close_code, self.close_reason if self.has_pong else "without a pong")

    class Close(WebSocketHandler):
        def open(self):
            self.close(int(self.request.query), REASON)

        def on_message(self, message):
            pass

    listener, port = free_port()
    listener.setblocking(False)
    # Without its own pings: tornado takes a pong between the fragments of a compressed message for a frame of the
    # message, and does not inflate it then.
    server = HTTPServer(Application(
        [("/echo", Echo), ("/close", Close)], websocket_max_message_size=LIMIT))
    server.add_socket(listener)
    ready(port)
    await asyncio.Event().wait()


# -- wsproto -----------------------------------------------------------------------------------------


class Wire:
    """wsproto, which has no I/O, over a socket."""

    def __init__(self, peer, role):
        from wsproto import WSConnection
        self.peer, self.protocol = peer, WSConnection(role)
        self.waiting = iter(())
        self.pongs = []

    def send(self, event):
        self.peer.sendall(self.protocol.send(event))

    def next(self):
        while (event := next(self.waiting, None)) is None:
            # None: the peer has ended.
            self.protocol.receive_data(self.peer.recv(1 << 16) or None)
            self.waiting = self.protocol.events()
        return event

    def message(self):
        from wsproto.events import Message, Ping, Pong
        parts = []
        while True:
            event = self.next()
            if isinstance(event, Ping):
                self.send(event.response())
            elif isinstance(event, Pong):
                self.pongs.append(bytes(event.payload))
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
    wire = connect("fragments")
    expect(type(wire.next()), AcceptConnection, "the answer")
    for part in range(1, 5):
        expect(wire.message(), str(part) * (1 << 20), "fragments")
    wire = connect("alive")
    expect(type(wire.next()), AcceptConnection, "the answer")
    expect(wire.message(), "alive", "the pongs")
    wire = connect("close?4002")
    expect(type(wire.next()), AcceptConnection, "the answer")
    event = wire.message()
    expect((event.code, event.reason), (4002, REASON), "its close")
    wire = connect("refused")
    event = wire.next()
    expect((type(event), event.status_code), (RejectConnection, 401), "the refusal")


async def serve_wsproto():
    from wsproto import ConnectionType
    from wsproto.events import (
        AcceptConnection, BytesMessage, CloseConnection, Ping, Request, TextMessage)
    from wsproto.extensions import PerMessageDeflate

    def serve(peer):
        wire = Wire(peer, ConnectionType.SERVER)
        request = wire.next()
        assert isinstance(request, Request)
        chosen = next((name for name in PROTOCOLS if name in request.subprotocols), None)
        wire.send(AcceptConnection(subprotocol=chosen, extensions=[PerMessageDeflate()]))
        path, _, query = request.target.partition("?")
        if path == "/close":
            wire.send(CloseConnection(code=int(query), reason=REASON))
            expect(wire.message().code, int(query), "the answer to a close")
            return peer.close()
        wire.send(Ping(payload=b"there?"))
        while not isinstance(message := wire.message(), CloseConnection):
            # In fragments, with a ping between them.
            half = len(message) // 2
            kind = TextMessage if isinstance(message, str) else BytesMessage
            wire.send(kind(data=message[:half], message_finished=False))
            wire.send(Ping(payload=b"still?"))
            wire.send(kind(data=message[half:]))
        wire.send(message.response())
        peer.close()
        expect((wire.pongs[0], set(wire.pongs[1:])), (b"there?", {b"still?"}), "the pongs")
        closed(message.code, message.reason)

    listener, port = free_port()
    ready(port)
    while True:
        peer, _ = await asyncio.to_thread(listener.accept)
        threading.Thread(target=serve, args=(peer,), daemon=True).start()


def main():
    role, name, *url = sys.argv[1:]
    asyncio.run(globals()[f"{role}_{name}"](*url))


main()
