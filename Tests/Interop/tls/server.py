"""TLS servers that a client should accept or refuse; all of them echo WebSocket messages.

The only argument is the directory with the certificates. Prints one line of JSON, the URLs by name,
when all of them listen.
"""

import json
import socket
import ssl
import sys
import threading
from pathlib import Path

from websockets.sync.server import serve

directory = Path(sys.argv[1])


def note_server_name(peer, name, _):
    peer.server_name_asked = name


def context(name):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.sni_callback = note_server_name
    context.load_cert_chain(directory / f"{name}.pem", directory / f"{name}.key")
    context.set_alpn_protocols(["http/1.1"])
    return context


def old():
    old = context("good")
    # OpenSSL 3 has no signatures for TLS 1.1 at its usual level.
    old.set_ciphers("DEFAULT@SECLEVEL=0")
    old.minimum_version = ssl.TLSVersion.TLSv1
    old.maximum_version = ssl.TLSVersion.TLSv1_1
    return old


def asking(version):
    asking = context("good")
    asking.maximum_version = version
    asking.verify_mode = ssl.CERT_REQUIRED
    asking.load_verify_locations(directory / "authority.pem")
    return asking


def limited(version):
    limited = context("good")
    limited.minimum_version = limited.maximum_version = version
    return limited


def echo(connection):
    match connection.request.path:
        case "/":
            for message in connection:
                connection.send(message)
        case "/tls":
            tls = connection.socket
            names = [part[0][1] for part in (tls.getpeercert() or {}).get("subject", [])]
            facts = [tls.version(), tls.selected_alpn_protocol(), tls.session_reused, names, tls.server_name_asked]
            connection.send(json.dumps(facts))
        case "/cut":
            # Like a middlebox: the TCP connection ends without a TLS alert.
            connection.send("before the cut")
            socket.socket.shutdown(connection.socket, socket.SHUT_WR)
            for _ in connection:
                pass


def plain(listener):
    while True:
        peer, _ = listener.accept()
        peer.recv(4096)
        peer.sendall(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")
        peer.close()


def main():
    names = "good expired early elsewhere selfsigned stranger chained incomplete".split()
    contexts = {name: context(name) for name in names}
    contexts["tls11"] = old()
    contexts["tls12"] = limited(ssl.TLSVersion.TLSv1_2)
    contexts["asking12"] = asking(ssl.TLSVersion.TLSv1_2)
    contexts["asking13"] = asking(ssl.TLSVersion.TLSv1_3)
    urls = {}
    for name, tls in contexts.items():
        # The blocking server: asyncio's server does not send the alert of a failed handshake.
        server = serve(echo, "127.0.0.1", 0, ssl=tls, max_size=1 << 25)
        urls[name] = f"wss://localhost:{server.socket.getsockname()[1]}/"
        threading.Thread(target=server.serve_forever).start()
    http = socket.create_server(("127.0.0.1", 0))
    urls["plain"] = f"wss://localhost:{http.getsockname()[1]}/"
    threading.Thread(target=plain, args=[http]).start()
    print(json.dumps(urls), flush=True)


main()
