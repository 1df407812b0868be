"""Runs the ported suite, in either role.

    suite.py server REPORTS CASE...             a server that tests clients; prints its URL
    suite.py client REPORTS CASE... URL AGENT   a client that tests the server at URL

A case is a number such as 9.1.1, or a pattern such as 9.*. The server runs until it is killed.
"""

import socket
import sys

from twisted.internet import reactor

from autobahntestsuite import fuzzing


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


role, reports, *rest = sys.argv[1:]
# The time for the other side to close in seconds. The suite's own 1 is too short for a busy machine.
patience = {"closeHandshakeTimeout": 10}
specification = {
    "outdir": reports,
    "options": patience,
    "exclude-cases": [],
    "exclude-agent-cases": {},
}
if role == "server":
    specification |= {"cases": rest, "url": f"ws://127.0.0.1:{free_port()}"}
    fuzzing.startServer(specification, 0)
    print(specification["url"], flush=True)
else:
    *cases, url, agent = rest
    specification |= {"cases": cases, "servers": [{"url": url, "agent": agent}]}
    patience["serverConnectionDropTimeout"] = 10
    fuzzing.startClient(specification)
reactor.run()
