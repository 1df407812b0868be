"""A client of Python's ssl module: asks a server of TLS under several names, with and without a certificate.

    client.py PORT CERTIFICATES

Prints one line of JSON: by name the common name of the certificate that the server shows, or the alert; what the
server answers to a client with and without a certificate, and whether a second connection resumes the session of
the first one.
"""

import json
import socket
import ssl
import sys
from pathlib import Path

port, directory = int(sys.argv[1]), Path(sys.argv[2])


def context(certificate=None):
    context = ssl.create_default_context(cafile=directory / "authority.pem")
    if certificate:
        context.load_cert_chain(directory / f"{certificate}.pem", directory / f"{certificate}.key")
    return context


def shown(name):
    tls = context()
    tls.check_hostname = False
    try:
        with connected(tls, name) as peer:
            return peer.getpeercert()["subject"][0][0][1]
    except ssl.SSLError as error:
        return error.reason


def connected(tls, name="localhost", session=None):
    return tls.wrap_socket(
        socket.create_connection(("127.0.0.1", port), timeout=10), server_hostname=name, session=session)


def answer(peer):
    peer.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
    text = b""
    try:
        while data := peer.recv(4096):
            text += data
    except ssl.SSLError as error:
        return error.reason
    return text.split(b"\r\n\r\n")[-1].decode()


def asked(certificate):
    try:
        with connected(context(certificate)) as peer:
            return answer(peer)
    except ssl.SSLError as error:
        return error.reason


def resumed(version):
    tls = context("client")
    tls.maximum_version = version
    with connected(tls) as first:
        answer(first)
        session = first.session
    with connected(tls, session=session) as second:
        return second.session_reused


names = ["localhost", "elsewhere.test", "a.elsewhere.test", "b.a.elsewhere.test", None]
print(json.dumps({
    "names": [shown(name) for name in names],
    "client": asked("client"),
    "nobody": asked(None),
    "stranger": asked("stranger"),
    "resumed": [resumed(version) for version in (ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3)],
}))
