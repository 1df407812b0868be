"""Attacks on a server and a client of this package, and their cost: descriptors, memory, and the
latency of an uninvolved client, before, during and after. Needs nothing but Python's standard library, and
for the vanishing peers Linux's network namespaces.

    attacks.py PROGRAM [--tls CERTIFICATES] [--only PART-OF-A-NAME]...
"""

import base64
import collections
import hashlib
import json
import multiprocessing
import os
import selectors
import socket
import ssl
import statistics
import struct
import subprocess
import sys
import threading
import time
import zlib

# The time in seconds after an attack until its resources must be released: the attacked program drops a peer
# after 2 to 4 s of silence, after 3 s in which it reads nothing, and after 30 s in which no consumer takes the
# last messages of a client that has ended.
RECOVERY = 45
# Of the uninvolved client during an attack; the median of handshakes, whose crypto takes a core.
P99_LIMIT = 0.020


class Target:
    """The attacked program, which answers each line with its resources."""

    def __init__(self, *words, prefix=()):
        self.process = subprocess.Popen(
            [*prefix, PROGRAM, *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def line(self):
        line = self.process.stdout.readline()
        if not line:
            raise SystemExit("the attacked program has ended")
        return line

    def ask(self, command="stats"):
        self.process.stdin.write(command + "\n")
        self.process.stdin.flush()
        return json.loads(self.line())

    def end(self):
        self.process.stdin.close()
        self.process.wait(10)


def frame(opcode, payload, final=True, compressed=False):
    head = bytes([(0x80 if final else 0) | (0x40 if compressed else 0) | opcode])
    if len(payload) < 126:
        head += bytes([0x80 | len(payload)])
    elif len(payload) < 65536:
        head += struct.pack("!BH", 0x80 | 126, len(payload))
    else:
        head += struct.pack("!BQ", 0x80 | 127, len(payload))
    # A key of zeros leaves the payload unchanged.
    return head + b"\0\0\0\0" + payload


def opened(port, path, host="127.0.0.1", tls=None, deflate=False, receive_buffer=None):
    peer = socket.socket()
    if receive_buffer:
        peer.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
    peer.settimeout(10)
    peer.connect((host, port))
    peer.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    if tls:
        peer = tls.wrap_socket(peer)
    extension = "Sec-WebSocket-Extensions: permessage-deflate\r\n" if deflate else ""
    peer.sendall((
        f"GET {path} HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        f"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: {base64.b64encode(os.urandom(16)).decode()}\r\n"
        f"{extension}\r\n").encode())
    head = b""
    while not head.endswith(b"\r\n\r\n"):
        byte = peer.recv(1)
        if not byte:
            raise ConnectionError("the server left during the handshake")
        head += byte
    if b" 101 " not in head.split(b"\r\n")[0]:
        raise ConnectionError(head.split(b"\r\n")[0].decode())
    return peer


def fill(peers, data, limit=64 << 20):
    """Sends to all sockets while they accept bytes; returns the number of accepted bytes."""
    taken = 0
    rest = {peer: memoryview(data) for peer in peers}
    for peer in peers:
        peer.setblocking(False)
    idle_since = time.monotonic()
    sent = dict.fromkeys(peers, 0)
    while time.monotonic() - idle_since < 0.3:
        # The attackers' own work is not measured.
        time.sleep(0.001)
        for peer in peers:
            if sent[peer] > limit:
                continue
            try:
                count = peer.send(rest[peer])
            except (BlockingIOError, ssl.SSLWantWriteError):
                continue
            except OSError:
                continue
            rest[peer] = rest[peer][count:] or memoryview(data)
            sent[peer] += count
            taken += count
            idle_since = time.monotonic()
    return taken


# -- The uninvolved client ---------------------------------------------------------------------------


def measure(port, tls, control, results):
    """In a process of its own: echoes, one after the other, until it is stopped."""
    # Above the attackers, beside the server: its own wait for a core is not measured.
    try:
        os.nice(-5)
    except PermissionError:
        pass
    context = client_tls() if tls else None
    peer = opened(port, "/echo", tls=context)
    message = frame(1, b"x" * 64)
    times = []
    while True:
        if control.poll(0.002):
            command = control.recv()
            results.send(times)
            times = []
            if command == "end":
                return
        begin = time.perf_counter()
        peer.sendall(message)
        left = 66
        while left:
            data = peer.recv(left)
            if not data:
                results.send(None)
                return
            left -= len(data)
        times.append(time.perf_counter() - begin)


class Innocent:
    def __init__(self, port, tls=False):
        self.control, control = multiprocessing.Pipe()
        self.results, results = multiprocessing.Pipe()
        self.process = multiprocessing.Process(
            target=measure, args=(port, tls, control, results), daemon=True)
        self.process.start()

    def take(self, command="next"):
        """The latencies since the last call."""
        self.control.send(command)
        if not self.results.poll(20):
            raise SystemExit("the uninvolved client receives nothing for 20 s")
        times = self.results.recv()
        if times is None:
            raise SystemExit("the uninvolved client was dropped")
        return times


def quantiles(times):
    if len(times) < 20:
        return None, None
    cut = statistics.quantiles(times, n=100)
    return cut[49], cut[98]


# -- The attacks and their duration ----------------------------------------------------------------


def stuffed_and_left(path):
    def attack(port, tls):
        """60 clients send without reading until no byte is accepted, and disconnect."""
        peers = [opened(port, path, tls=tls) for _ in range(60)]
        fill(peers, frame(2, b"x" * 60000), limit=3 << 20)
        yield
        for peer in peers:
            peer.close()
    return attack


def never_read(port, tls):
    """30 clients send, never read, and stay connected; the server drops them."""
    peers = [opened(port, "/echo", tls=tls) for _ in range(30)]
    fill(peers, frame(2, b"x" * 60000), limit=3 << 20)
    yield
    time.sleep(5)
    alive = 0
    for peer in peers:
        peer.settimeout(1)
        try:
            while peer.recv(1 << 20):
                pass
        except (TimeoutError, socket.timeout):
            alive += 1
        except OSError:
            pass
    if alive:
        raise SystemExit(f"{alive} clients that never read are still connected")


def slow_of_broadcast(port, tls):
    """30 clients read no broadcast, and disconnect."""
    peers = [opened(port, "/silent", tls=tls, receive_buffer=4096) for _ in range(30)]
    TARGET.ask("broadcast")
    time.sleep(1)
    yield
    TARGET.ask("quiet")
    for peer in peers:
        peer.close()


def bombs(path, count, pings=False):
    def attack(port, tls):
        """Messages of 16 KB, each of which inflates to 16 MB, at once; then perhaps many pings."""
        deflater = zlib.compressobj(wbits=-15)
        data = deflater.compress(b"\0" * 16_000_000) + deflater.flush(zlib.Z_SYNC_FLUSH)
        bomb = frame(2, data[:-4], compressed=True)
        peers = [opened(port, path, tls=tls, deflate=True) for _ in range(count)]
        for peer in peers:
            peer.sendall(bomb)
        end = time.monotonic() + 2
        while pings and time.monotonic() < end:
            for peer in peers:
                peer.sendall(frame(9, b""))
            time.sleep(0.005)
        time.sleep(max(0, end - time.monotonic()))
        yield
        for peer in peers:
            peer.close()
    return attack


def bombs_without_observers(port, tls):
    """10 connections without observers send 16 MB in 16 KB repeatedly, and disconnect."""
    deflater = zlib.compressobj(wbits=-15)
    data = deflater.compress(b"\0" * 16_000_000) + deflater.flush(zlib.Z_SYNC_FLUSH)
    peers = [opened(port, "/silent", tls=tls, deflate=True) for _ in range(10)]
    fill(peers, frame(2, data[:-4], compressed=True), limit=1 << 20)
    yield
    for peer in peers:
        peer.close()


def unfinished(port, tls):
    """100 clients send 15 of 16 MiB of a message each: more than the server's memory limit of 256 MiB."""
    peers = [opened(port, "/count", tls=tls) for _ in range(100)]
    head = bytes([0x82, 0xFF]) + struct.pack("!Q", 16 << 20) + b"\0\0\0\0"
    for peer in peers:
        peer.sendall(head)
    fill(peers, b"x" * (1 << 20), limit=14 << 20)
    yield
    for peer in peers:
        peer.close()


def long_messages(path, opcode):
    def attack(port, tls):
        """10 clients send 10 messages of 16 MiB each, and disconnect."""
        peers = [opened(port, path, tls=tls) for _ in range(10)]
        message = frame(opcode, b"x" * (16 << 20))

        def send(peer):
            for _ in range(10):
                peer.sendall(message)

        threads = [threading.Thread(target=send, args=(peer,)) for peer in peers]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        # Bytes in the system's buffers arrive too.
        time.sleep(0.5)
        yield
        for peer in peers:
            peer.close()
    return attack


def flood(data, seconds=3):
    def attack(port, tls):
        """One client sends as many of these as are accepted."""
        peer = opened(port, "/count", tls=tls)
        yield from ()
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            peer.sendall(data)
        yield
        peer.close()
    return attack


def fragments(port, tls):
    """One client sends empty fragments of one message without end."""
    peer = opened(port, "/count", tls=tls)
    peer.sendall(frame(1, b"", final=False))
    data = frame(0, b"", final=False) * 20_000
    end = time.monotonic() + 3
    while time.monotonic() < end:
        peer.sendall(data)
    yield
    peer.close()


def connected(port, tls):
    peer = socket.create_connection(("127.0.0.1", port), timeout=10)
    return tls.wrap_socket(peer) if tls else peer


def exchange(peer, data, seconds=3):
    """Sends this repeatedly and reads all answers, until the time ends or the server closes."""
    peer.settimeout(0.05)
    end = time.monotonic() + seconds
    rest = b""
    while time.monotonic() < end:
        rest = rest or data
        try:
            rest = rest[peer.send(rest[:65536]):]
        except (TimeoutError, socket.timeout):
            pass
        except OSError:
            return
        try:
            if not peer.recv(1 << 18):
                return
        except (TimeoutError, socket.timeout):
            pass
        except OSError:
            return


def requests(port, tls):
    """One client sends plain requests, without waiting for the answers."""
    peer = connected(port, tls)
    exchange(peer, b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n" * 20_000)
    yield
    peer.close()


def long_heads(port, tls):
    """100 clients send heads of 16 KB, and again after each answer."""
    begin = b"GET /health HTTP/1.1\r\nHost: localhost\r\n"
    heads = [begin + rest + b"\r\n" for rest in (
        b"a:\r\n" * 4_000,
        (b"a: " + b"x" * 150 + b"\r\n") * 99,
        b"a: " + b"x" * 16_000 + b"\r\n",
        b"Connection: " + b"a," * 8_000 + b"\r\n",
        b"Upgrade: websocket\r\nConnection: " + b"a," * 8_000 + b"\r\n",
    )]
    selector = selectors.DefaultSelector()

    def come(head):
        peer = connected(port, tls)
        selector.register(peer, selectors.EVENT_READ, head)
        peer.sendall(head)

    for number in range(100):
        come(heads[number % len(heads)])
    count, end = 0, time.monotonic() + 3
    while time.monotonic() < end:
        for key, _ in selector.select(0.1):
            try:
                answer = key.fileobj.recv(1_000)
                count += bool(answer)
                if answer and b" 200 " in answer.split(b"\r\n")[0]:
                    key.fileobj.sendall(key.data)
                    continue
            except OSError:
                pass
            # The server closes refused clients.
            selector.unregister(key.fileobj)
            key.fileobj.close()
            come(key.data)
    yield
    for key in list(selector.get_map().values()):
        key.fileobj.close()
    print(f"{count} long heads answered")


def chunks(port, tls):
    """One client sends bodies in chunks of one byte."""
    end = time.monotonic() + 3
    while time.monotonic() < end:
        peer = connected(port, tls)
        head = b"POST /body HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"
        exchange(peer, head + b"1\r\na\r\n" * 2_000_000, seconds=end - time.monotonic())
        peer.close()
    yield


def half_requests(port, tls):
    """60 clients send a part of a request, and stay connected; the server drops them."""
    peers = [connected(port, tls) for _ in range(60)]
    head = b"POST /body HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000000\r\n\r\n"
    for number, peer in enumerate(peers):
        peer.sendall(head[:number] if number % 2 else head + b"x" * 900_000)
    yield
    time.sleep(4)
    for peer in peers:
        peer.settimeout(1)
        try:
            while peer.recv(1 << 16):
                pass
        except (TimeoutError, socket.timeout):
            raise SystemExit("a client that does not end its request is still connected")
        except OSError:
            pass


def hello(group=None):
    """The first message of TLS; its key share is of this group, or of the usual groups."""
    context = client_tls()
    if group:
        context.set_ecdh_curve(group)
    outgoing = ssl.MemoryBIO()
    begun = context.wrap_bio(ssl.MemoryBIO(), outgoing, server_hostname="localhost")
    try:
        begun.do_handshake()
    except ssl.SSLWantReadError:
        pass
    return outgoing.read()


def half_handshakes(group=None, kept=60):
    def attack(port, tls):
        """1,000 clients a second begin TLS, for three seconds; the oldest disconnects above `kept` clients."""
        data = hello(group)
        peers = collections.deque()
        begin = time.monotonic()
        count = answered = 0

        def leave():
            nonlocal answered
            peer = peers.popleft()
            try:
                answered += bool(peer.recv(1, socket.MSG_DONTWAIT))
            except OSError:
                pass
            # A reset: no state stays at this end.
            peer.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            peer.close()

        while (passed := time.monotonic() - begin) < 3:
            if count >= passed * 1_000:
                time.sleep(0.001)
                continue
            peer = socket.create_connection(("127.0.0.1", port), timeout=10)
            try:
                peer.sendall(data)
            except OSError:
                pass
            peers.append(peer)
            count += 1
            if len(peers) > kept:
                leave()
        yield
        while peers:
            leave()
        print(f"{count} handshakes begun, {answered} of them answered")
    return attack


def answers_not_taken(port, tls):
    """30 clients request 8 MB repeatedly, read nothing, and stay connected; the server drops them."""
    peers = [connected(port, tls) for _ in range(30)]
    for peer in peers:
        peer.sendall(b"GET /large HTTP/1.1\r\nHost: localhost\r\n\r\n" * 1_000)
    time.sleep(1)
    yield
    time.sleep(6)


def answers_cut_off(port, tls):
    """40 clients request 8 MB, read the beginning, and reset the connection, repeatedly for 6 seconds."""
    end = time.monotonic() + 6
    request = b"GET /large HTTP/1.1\r\nHost: localhost\r\n\r\n"

    def cut_off():
        while time.monotonic() < end:
            peer = socket.socket()
            peer.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            peer.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            peer.settimeout(10)
            peer.connect(("127.0.0.1", port))
            peer = tls.wrap_socket(peer) if tls else peer
            peer.sendall(request)
            peer.recv(1_000)
            peer.close()

    threads = [threading.Thread(target=cut_off) for _ in range(40)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    yield


ATTACKS = {
    "long binary messages": long_messages("/count", 2),
    "long texts": long_messages("/count", 1),
    "long messages that are kept": long_messages("/keep", 2),
    "long texts that are kept": long_messages("/keep", 1),
    "stuffed echo of an observer": stuffed_and_left("/echo"),
    "stuffed echo of a task": stuffed_and_left("/task"),
    "stuffed and without observers": stuffed_and_left("/silent"),
    "never reads": never_read,
    "slow clients of a broadcast": slow_of_broadcast,
    "deflate bombs": bombs("/count", 64),
    "deflate bombs that are echoed": bombs("/echo", 64),
    "deflate bombs that are echoed between pings": bombs("/echo", 64, pings=True),
    "deflate bombs without observers": bombs_without_observers,
    "unfinished messages": unfinished,
    "empty messages": flood(frame(1, b"") * 20_000),
    "empty fragments": fragments,
    "pongs": flood(frame(10, b"") * 20_000),
    "plain requests": requests,
    "long heads": long_heads,
    "bodies in small chunks": chunks,
    "half requests": half_requests,
    "half handshakes": half_handshakes(),
    "half handshakes whose clients stay": half_handshakes(kept=900),
    "half handshakes with a dear group": half_handshakes("ffdhe8192"),
    "answers that are not taken": answers_not_taken,
    "answers that are cut off": answers_cut_off,
}

# Attacks with TLS, which costs most with an RSA key.
OF_TLS = {name for name in ATTACKS if name.startswith("half handshakes")}
# Attacks on the CPU: the uninvolved client's latency has a limit.
TIMED = {
    "deflate bombs", "deflate bombs that are echoed",
    "deflate bombs that are echoed between pings", "empty messages", "empty fragments", "pongs", "plain requests", "long heads",
    "bodies in small chunks", *OF_TLS,
}
# Resident bytes that are allowed during an attack on memory.
PEAK_LIMIT = {"unfinished messages": 400 << 20}
# Resident bytes that are allowed after an attack: freed memory is not returned at once.
MEMORY_LIMIT = 200 << 20
# The program allocates the answers, so that some memory stays with its threads.
MEMORY_LIMITS = {"answers that are cut off": 64 << 20}
# Attacks after which at most twice the memory of before is resident, 10 seconds later.
RETURNED = {name for name in ATTACKS if name.startswith("long")}
RETURN_TIME = 10


def client_tls():
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    return context


def run(name, attack, port, tls, identity=None):
    innocent = Innocent(port, tls is not None)
    time.sleep(1)
    before, quiet = TARGET.ask(), innocent.take()
    steps = attack(port, tls)
    next(steps)
    during, loud = TARGET.ask(), innocent.take()
    next(steps, None)
    end = time.monotonic() + RECOVERY
    after = TARGET.ask()
    while time.monotonic() < end and (after["fds"] > before["fds"] or after["open"] > before["open"]):
        time.sleep(0.25)
        after = TARGET.ask()
    recovered = RECOVERY - (end - time.monotonic())
    end = time.monotonic() + RETURN_TIME
    while name in RETURNED and after["rss"] > 2 * before["rss"] and time.monotonic() < end:
        time.sleep(0.25)
        after = TARGET.ask()
    innocent.take("end")
    title = name + (f" (TLS, {identity})" if tls else "")
    print(f"{title}")
    for when, held, times in (("before", before, quiet), ("during", during, loud), ("after", after, None)):
        p50, p99 = quantiles(times) if times else (None, None)
        figures = f", p50 {p50 * 1000:.2f} ms, p99 {p99 * 1000:.2f} ms" if p99 else ""
        print(f"  {when:7}{held['fds']:5} fds, {held['rss'] >> 20:5} MB{figures}")
    problems = []
    if after["fds"] > before["fds"]:
        problems.append(f"{after['fds'] - before['fds']} descriptors left after {recovered:.0f} s")
    if after["rss"] > (2 * before["rss"] if name in RETURNED else before["rss"] + MEMORY_LIMITS.get(name, MEMORY_LIMIT)):
        problems.append(f"{(after['rss'] - before['rss']) >> 20} MB left")
    peak = PEAK_LIMIT.get(name)
    if peak and during["rss"] > before["rss"] + peak:
        problems.append(f"{(during['rss'] - before['rss']) >> 20} MB during the attack")
    p50, p99 = quantiles(loud)
    latency = p50 if name in OF_TLS else p99
    if name in TIMED and (latency is None or latency > P99_LIMIT):
        problems.append("the uninvolved client waited too long" if latency else "too few echoes")
    print(f"  {'; '.join(problems) or 'held'}, {recovered:.1f} s after the attack", flush=True)
    return not problems


# -- Peers that vanish -----------------------------------------------------------------------------


class Network:
    """A namespace with one cable to this one, which can be cut."""

    HERE, THERE = "10.203.77.1", "10.203.77.2"

    count = 0

    def __init__(self):
        Network.count += 1
        self.name = f"vanish{os.getpid()}-{Network.count}"
        self.cable = f"v{os.getpid()}-{Network.count}"[:15]
        self.inside = ["ip", "netns", "exec", self.name]
        for command in (
            f"ip netns add {self.name}",
            f"ip link add {self.cable} type veth peer name eth0 netns {self.name}",
            f"ip addr add {self.HERE}/24 dev {self.cable}",
            f"ip link set {self.cable} up",
            f"ip -n {self.name} addr add {self.THERE}/24 dev eth0",
            f"ip -n {self.name} link set eth0 up",
            f"ip -n {self.name} link set lo up",
        ):
            done = subprocess.run(command.split(), capture_output=True, text=True)
            if done.returncode:
                self.end()
                raise PermissionError(f"{command}: {done.stderr.strip()}")

    def cut(self):
        subprocess.run(["ip", "link", "set", self.cable, "down"], check=True)

    def end(self):
        subprocess.run(["ip", "netns", "del", self.name], capture_output=True)


def vanishing_clients():
    """Clients of a server are dropped when the cable is cut: read and unread ones, and one that is written to."""
    network = Network()
    target = Target("serve", prefix=network.inside)
    try:
        port = int(target.line())
        peers = [opened(port, path, host=network.THERE) for path in ("/count", "/silent", "/silent", "/echo")]
        fill(peers[2:], frame(2, b"x" * 60000), limit=8 << 20)
        before = target.ask()
        network.cut()
        begin = time.monotonic()
        after = target.ask()
        while after["open"] and time.monotonic() - begin < 30:
            time.sleep(0.25)
            after = target.ask()
        print("clients that vanish")
        print(f"  before  {before['open']} open, {before['fds']} fds")
        print(f"  after   {after['open']} open, {after['fds']} fds, {time.monotonic() - begin:.1f} s after the cut")
        return after["open"] == 0 and before["open"] == 4
    finally:
        target.process.kill()
        network.end()


def vanishing_server(is_paused):
    """A client detects the cut cable."""
    network = Network()
    listener = socket.create_server((network.HERE, 0))
    url = f"ws://{network.HERE}:{listener.getsockname()[1]}/"
    target = Target("connect", url, *(["--paused"] if is_paused else []), prefix=network.inside)
    try:
        peer, _ = listener.accept()
        head = b""
        while not head.endswith(b"\r\n\r\n"):
            head += peer.recv(1)
        key = [line.split(b": ")[1] for line in head.split(b"\r\n") if line.lower().startswith(b"sec-websocket-key")][0]
        digest = hashlib.sha1(key + b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11").digest()
        peer.sendall(b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                     b"Sec-WebSocket-Accept: " + base64.b64encode(digest) + b"\r\n\r\n")
        if is_paused:
            fill([peer], b"\x81\x04text" * 1000, limit=8 << 20)
        time.sleep(1)
        before = target.ask()
        network.cut()
        begin = time.monotonic()
        after = target.ask()
        while after["state"] != "disconnected" and time.monotonic() - begin < 30:
            time.sleep(0.25)
            after = target.ask()
        print(f"a server that vanishes{', while its client does not read' if is_paused else ''}")
        print(f"  before  {before['state']}")
        print(f"  after   {after['state']} ({after['error']}), {time.monotonic() - begin:.1f} s after the cut",
              flush=True)
        return before["state"] == "connected" and after["state"] == "disconnected"
    finally:
        target.process.kill()
        network.end()


def vanish():
    try:
        return vanishing_clients() & vanishing_server(False) & vanishing_server(True)
    except (PermissionError, FileNotFoundError) as error:
        print(f"SKIPPED: peers that vanish need network namespaces: {error}")
        return True


def main():
    global PROGRAM, TARGET
    words = sys.argv[1:]
    PROGRAM = words.pop(0)
    only, certificate = [], None
    while words:
        option, value = words.pop(0), words.pop(0)
        if option == "--only":
            only.append(value)
        elif option == "--tls":
            certificate = value
    os.nice(5)
    held = True
    for identity in (None, "good", "rsa") if certificate else (None,):
        files = [f"{certificate}/{identity}.pem", f"{certificate}/{identity}.key"] if identity else []
        TARGET = Target("serve", *files)
        port = int(TARGET.line())
        context = client_tls() if identity else None
        for name, attack in ATTACKS.items():
            if only and not any(part in name for part in only):
                continue
            if name in OF_TLS and not identity or identity and name in TIMED - OF_TLS:
                continue
            if identity == "rsa" and name not in OF_TLS:
                continue
            held = run(name, attack, port, context, identity) and held
        TARGET.end()
    if not only or "vanish" in only:
        held = vanish() and held
    raise SystemExit(0 if held else 1)


main()
