#!/usr/bin/env python3
"""Measures the server beside a floor: an epoll loop in C that does the system calls and nothing else.

    Benchmarks/floor.py                 all rows, 7 minutes after the build
    Benchmarks/floor.py --only 16       rows whose names contain "16"
    Benchmarks/floor.py --report FILE   writes the table there, too

The server is on core 0 and the clients are on core 1. Each round starts both servers anew, in turns;
a figure is the median of the rounds. The floor of TLS is what `openssl speed` takes to encrypt and
decrypt as many bytes. The rows of TLS and of compression have no other one.
"""

import argparse
import functools
import json
import os
import platform
import resource
import statistics
import subprocess
import sys
import tempfile
import zlib
from dataclasses import dataclass, field
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent


@dataclass
class Row:
    name: str
    arguments: list[str]
    figure: str
    unit: str
    # What ours may be at most: a multiple of the floor's figure, or an amount.
    most_times: float | None = None
    most: float | None = None
    # What the server is told, other than to echo.
    server: list[str] = field(default_factory=list)
    # The server's floor: the program, `openssl speed` for so many bytes, or none.
    floor: str | int | None = "floor"


def echo(connections: int, window: int, size: int, *more: str) -> list[str]:
    return ["echo", str(connections), str(window), str(size), "4", *more]


ROWS = [
    Row("1 connection, 64 B, p50", echo(1, 1, 64), "p50", "us", 1.10),
    Row("100 connections, 1 in flight", echo(100, 1, 64), "cpu", "us", 1.10),
    Row("100 connections, 16 in flight", echo(100, 16, 64), "cpu", "us", 1.30),
    Row("1,000 connections, 1 in flight", echo(1000, 1, 64), "cpu", "us", 1.10),
    Row("16 KiB, 100 connections", echo(100, 1, 16 << 10), "cpu", "us", 1.10),
    Row("1 MiB of text, 10 connections", echo(10, 1, 1 << 20, "text"), "cpu", "us", 1.10),
    Row("1 MiB binary, 10 connections", echo(10, 1, 1 << 20), "cpu", "us", 1.10),
    Row("connect, handshake and one echo", ["connect", "10000"], "cpu", "us", 2.0),
    Row("broadcast to 10,000", ["broadcast", "10000", "10"], "cpu", "us",
        server=["broadcast"]),
    Row("deflate, 2 KB of JSON, 100 connections", echo(100, 1, 2048, "deflate", "JSON"), "cpu", "us",
        server=["deflate"], floor=None),
    Row("TLS, 64 B, 100 connections", ["tls", *echo(100, 1, 64)], "cpu", "us",
        server=["IDENTITY"], floor=None),
    Row("TLS, 64 KiB, 100 connections", ["tls", *echo(100, 1, 64 << 10)], "cpu", "us", 1.25,
        server=["IDENTITY"], floor=2 * (64 << 10)),
    Row("TLS, connect, handshake and one echo", ["tls", "connect", "1000"], "cpu", "us",
        server=["IDENTITY"], floor=None),
    Row("idle connection, resident", ["hold", "10000", "0"], "bytes", "B", most=700),
    Row("the same after one echo", ["hold", "10000", "1"], "bytes", "B", most=700),
    Row("resident before the first one", ["hold", "1", "0"], "before", "B", most=8e6),
]


def build() -> Path:
    # As a server is deployed: one file, without the memory that the dynamic linker needs.
    command = ["swift", "build", "-c", "release", "--static-swift-stdlib"]
    command += ["--package-path", str(PACKAGE), "--scratch-path", str(PACKAGE / ".build-floor")]
    for product in ["floor", "load", "echo-server"]:
        subprocess.run([*command, "--product", product], check=True)
    path = subprocess.run([*command, "--show-bin-path"], check=True, capture_output=True, text=True)
    return Path(path.stdout.strip())


class Server:
    """A process that serves until the end of the block."""

    def __init__(self, command: list[str]):
        self.command = command

    def __enter__(self):
        self.process = subprocess.Popen(
            ["taskset", "-c", "0", *self.command],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.port = self.process.stdout.readline().strip()
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()


class Files:
    """What the rows name in capitals: an identity of a server, and a compressed message."""

    def __init__(self, directory: str):
        self.directory = Path(directory)

    @functools.cached_property
    def identity(self) -> str:
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
             "-days", "2", "-subj", "/CN=localhost", "-keyout", self.directory / "key.pem",
             "-out", self.directory / "certificate.pem"], check=True, capture_output=True)
        return str(self.directory)

    @functools.cached_property
    def json(self) -> str:
        people = [{"id": number, "name": f"Person {number * 7919 % 1000}", "isOnline": number % 3 == 0,
                   "seen": f"2026-01-{number % 28 + 1:02}T10:{number * 37 % 60:02}:00Z"} for number in range(24)]
        deflater = zlib.compressobj(wbits=-15)
        text = json.dumps(people).encode()[:2048]
        # RFC 7692, 7.2.1: without the last four bytes of the flush.
        compressed = (deflater.compress(text) + deflater.flush(zlib.Z_SYNC_FLUSH))[:-4]
        path = self.directory / "json"
        path.write_bytes(compressed)
        return str(path)

    def named(self, arguments: list[str]) -> list[str]:
        names = {"IDENTITY": lambda: self.identity, "JSON": lambda: self.json}
        return [names[word]() if word in names else word for word in arguments]


@functools.cache
def seconds_of_encryption(count: int) -> float:
    """The CPU seconds in which one core encrypts or decrypts so many bytes with AES-256-GCM."""
    command = ["taskset", "-c", "0", "openssl", "speed", "-mr", "-seconds", "3", "-bytes", "16384",
               "-evp", "aes-256-gcm"]
    result = subprocess.run(command, check=True, capture_output=True, text=True)
    # The last line: +F:number:cipher:bytes in a second
    return count / float(result.stdout.strip().splitlines()[-1].split(":")[-1])


def measure(programs: Path, files: Files, row: Row, is_floor: bool) -> float:
    if is_floor and isinstance(row.floor, int):
        return seconds_of_encryption(row.floor) * 1e6
    if is_floor and row.floor is None:
        return float("nan")
    arguments = files.named(row.server)
    command = [str(programs / "floor"), "0", *arguments] if is_floor else [
        str(programs / "echo-server"), *arguments]
    with Server(command) as server:
        load = ["taskset", "-c", "1", str(programs / "load"), server.port, str(server.process.pid)]
        result = subprocess.run(
            [*load, *files.named(row.arguments)], check=True, capture_output=True, text=True, timeout=120)
        return json.loads(result.stdout)[row.figure]


def shown(value: float, unit: str) -> str:
    if value != value:
        return ""
    if unit == "us" and value < 1:
        return f"{value * 1000:.0f} ns"
    if unit == "us" and value >= 10_000:
        return f"{value / 1000:.1f} ms"
    if unit == "B" and value >= 1e6:
        return f"{value / 1e6:.1f} MB"
    return f"{value:,.1f} {unit}" if unit == "us" else f"{value:,.0f} {unit}"


def line(row: Row, floor: list[float], ours: list[float]) -> tuple[str, bool]:
    low, own = statistics.median(floor), statistics.median(ours)
    ratios = sorted(a / b for a, b in zip(ours, floor)) if low > 0 else []
    ratio = statistics.median(ratios) if ratios else float("nan")
    bar, passes = "", True
    if row.most_times is not None:
        bar, passes = f"{row.most_times:.2f}x", ratio <= row.most_times
    elif row.most is not None:
        bar, passes = shown(row.most, row.unit), own <= row.most
    has_ratio = row.unit == "us" and ratio == ratio
    times = f"{ratio:.2f}x" if has_ratio else ""
    spread = f"{ratios[0]:.2f} to {ratios[-1]:.2f}" if has_ratio else ""
    outcome = "" if not bar else "holds" if passes else "missed"
    cells = [row.name, shown(low, row.unit), shown(own, row.unit), times, spread, bar, outcome]
    return "| " + " | ".join(cells) + " |", passes


HEADER = """| server on one core | floor | ours | ours/floor | rounds | bar | |
| --- | --- | --- | --- | --- | --- | --- |"""


def processor() -> str:
    for entry in Path("/proc/cpuinfo").read_text().splitlines():
        if entry.startswith("model name"):
            return entry.split(":", 1)[1].strip()
    return platform.machine()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", action="append", default=[], metavar="TEXT")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--report", type=Path)
    options = parser.parse_args()
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    programs = build()
    rows = [row for row in ROWS if not options.only or any(t in row.name for t in options.only)]
    table, all_hold = [HEADER], True
    print(HEADER, flush=True)
    with tempfile.TemporaryDirectory() as directory:
        files = Files(directory)
        for row in rows:
            floor, ours = [], []
            for _ in range(options.rounds):
                floor.append(measure(programs, files, row, is_floor=True))
                ours.append(measure(programs, files, row, is_floor=False))
            text, holds = line(row, floor, ours)
            all_hold = all_hold and holds
            table.append(text)
            print(text, flush=True)
    if options.report:
        machine = f"{processor()}, {os.cpu_count()} cores, Linux {platform.release()}"
        options.report.write_text(f"{machine}\n\n" + "\n".join(table) + "\n")
    return 0 if all_hold else 1


if __name__ == "__main__":
    sys.exit(main())
