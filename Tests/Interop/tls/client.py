"""A client of Python's ssl module: connects to a TLS server by several names, with and without a certificate.

    client.py PORT CERTIFICATES
    client.py PORT CERTIFICATES resume

Prints one line of JSON: by name the common name of the certificate that the server sends, or the alert; the
server's answers to a client with and without a certificate in TLS 1.2 and 1.3, and whether a second connection resumes
the session of the first one.

With `resume` it makes a session of each version, and for each line of input prints the results of connections that
resume them: whether they were resumed, and the answer.
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


VERSIONS = ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3


def asked(certificate):
    answers = []
    for version in VERSIONS:
        tls = context(certificate)
        tls.maximum_version = version
        try:
            with connected(tls) as peer:
                answers.append(answer(peer))
        except ssl.SSLError as error:
            answers.append(error.reason)
    return answers


class Session:
    """A session of one version, of a client without a certificate."""

    def __init__(self, version, certificate=None):
        self.tls = context(certificate)
        self.tls.maximum_version = version
        with connected(self.tls) as first:
            answer(first)
            self.session = first.session

    def resume(self):
        try:
            with connected(self.tls, session=self.session) as second:
                return [second.session_reused, answer(second)]
        except ssl.SSLError as error:
            return [False, error.reason]


if sys.argv[3:] == ["resume"]:
    sessions = [Session(version) for version in VERSIONS]
    for _ in sys.stdin:
        print(json.dumps([session.resume() for session in sessions]), flush=True)
    raise SystemExit

names = ["localhost", "elsewhere.test", "a.elsewhere.test", "b.a.elsewhere.test", None]
print(json.dumps({
    "names": [shown(name) for name in names],
    "client": asked("client"),
    "anonymous": asked(None),
    "stranger": asked("stranger"),
    "resumed": [Session(version, "client").resume()[0] for version in VERSIONS],
}))
