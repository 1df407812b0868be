"""Drives `inspect mcp` with the official client of the Model Context Protocol.

usage: client.py INSPECT PROGRAM

Starts PROGRAM, whose first line is the address of its inspector, and INSPECT mcp with that address. Prints each
check; the exit status is the result.
"""

import asyncio
import json
import os
import subprocess
import sys

from mcp import Client, ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

inspect, program = sys.argv[1:]


def check(what, found, *context):
    if not found:
        print(f"FAILED: {what}", *context)
        raise SystemExit(1)
    print(f"ok: {what}", flush=True)


def text(result):
    return "\n".join(part.text for part in result.content)


async def call(session, tool, **arguments):
    result = await session.call_tool(tool, arguments)
    if result.is_error:
        print(f"FAILED: {tool}: {text(result)}")
        raise SystemExit(1)
    return result


async def until(session, tool, wanted, **arguments):
    """Calls a tool until its text has `wanted`: the program works meanwhile."""
    for _ in range(100):
        found = text(await call(session, tool, **arguments))
        if wanted in found:
            return found
        await asyncio.sleep(0.1)
    print(f"FAILED: {tool} has no {wanted!r}: {found}")
    raise SystemExit(1)


TOOLS = ["composers", "steps", "event", "state_at", "diff", "why", "effects", "sockets", "servers", "subscriptions",
         "template", "dispatch", "cut", "slow", "clocks", "pause_clock", "step_clock", "resume_clock", "fork",
         "end_fork", "compare", "export_test", "export_recording"]


async def drive_sockets(session):
    """A message of a socket causes a step; then the socket is cut."""
    await call(session, "dispatch", composer="1", action={"follow": {}})
    await until(session, "steps", "heard", text="heard")
    heard = (await call(session, "steps", text="heard")).structured_content["rows"][0]
    why = text(await call(session, "why", event=heard["event"]))
    check("why follows a step to the message of a socket", "received: sale   4 bytes" in why, why)
    received = (await call(session, "steps", kinds=["received"])).structured_content["rows"]
    check("steps has messages", [row["text"] for row in received] == ["sale"], received)
    sockets = (await call(session, "sockets", live=True)).structured_content["sockets"]
    check("sockets has both ends", sorted(socket["side"] for socket in sockets) == ["client", "server"], sockets)
    servers = text(await call(session, "servers"))
    check("servers has the totals", "1, 1 opened" in servers, servers)
    client = next(socket for socket in sockets if socket["side"] == "client")
    await call(session, "slow", socket=client["socket"], milliseconds=20)
    await until(session, "sockets", "20 ms")
    check("slow delays a connection", True)
    await call(session, "cut", socket=client["socket"])
    await until(session, "sockets", "disconnected")
    check("cut ends a connection", True)


async def drive_clock(session):
    """A metronome in virtual time, which begins paused, is stepped."""
    clock = (await call(session, "clocks")).structured_content["clocks"][0]
    check("a clock begins paused", clock["isPaused"] and clock["elapsed"] == 0, clock)
    stepped = text(await call(session, "step_clock"))
    check("step_clock names the next work", stepped.endswith("due at 2.000 s."), stepped)
    await until(session, "clocks", "4.000")
    clock = (await call(session, "clocks")).structured_content["clocks"][0]
    check("it runs up to that work", clock["elapsed"] == 2 and clock["isWaiting"], clock)
    beats = (await call(session, "steps", composer="Metronome", text="beat")).structured_content["rows"]
    check("and its step is there", len(beats) == 1, beats)
    await call(session, "step_clock", milliseconds=2500)
    await until(session, "clocks", "4.500")
    await call(session, "resume_clock")
    await until(session, "clocks", "60.000")
    check("resume_clock lets it run", True)
    await call(session, "pause_clock", clock=clock["clock"])
    await until(session, "clocks", "paused, not advanced now")
    check("pause_clock pauses it", True)


async def drive_recordings(session, bought):
    """A fork goes another way from an earlier state; the way of the shop becomes a test."""
    fork = (await call(session, "fork", composer="1", event=bought)).structured_content["composer"]
    await call(session, "dispatch", composer=str(fork), action={"buy": {"item": 9, "count": 1}})
    await until(session, "steps", "buy(item: 9, count: 1)", composer=str(fork))
    state = await call(session, "state_at", composer=str(fork))
    check("a fork goes on from an earlier state",
          state.structured_content["state"]["bought"] == [5, 5, 9], text(state))
    origin = await call(session, "state_at", composer="1")
    check("and its origin stays as it is", origin.structured_content["state"]["bought"] == [5, 5], text(origin))
    compared = await call(session, "compare", composer="1", other=str(fork))
    check("compare shows the first difference", "different: the next step" in text(compared), text(compared))
    await call(session, "end_fork", composer=str(fork))
    check("a fork is released", True)

    corrected = {**origin.structured_content["state"], "bought": [5]}
    test = text(await call(session, "export_test", composer="1", to=bought, name="two are one", make='Shop(news: "")',
                           expected=corrected))
    check("export_test has a test in Swift",
          "@Test func `two are one`() throws {" in test and 'replay(into: Shop(news: ""))' in test
          and "corrected" in test, test)
    part = text(await call(session, "export_test", composer="1", to=bought, set={"bought": [5]}))
    check("export_test corrects a part by its path", '"bought":[5]' in part and "corrected" in part, part)
    recording = text(await call(session, "export_recording", composer="1"))
    check("export_recording has a JSON object a line",
          len([json.loads(line) for line in recording.splitlines()]) > 3, recording)
    check("and hides passwords", "hunter2" not in recording + test)
    subscriptions = await session.call_tool("subscriptions", {})
    check(f"subscriptions has an answer: {text(subscriptions)[:100]}", text(subscriptions))


async def drive(session, running):
    hello = await session.initialize()
    check("the version is agreed", hello.protocol_version == "2025-06-18", hello)
    check("the server has a name and instructions",
          hello.server_info.name and "composers" in hello.instructions)
    await session.send_ping()
    check("a ping is answered", True)

    tools = {tool.name: tool for tool in (await session.list_tools()).tools}
    check("there are all tools", list(tools) == TOOLS, list(tools))
    check("each has a description and a schema",
          all(len(tool.description) > 50 and tool.input_schema["type"] == "object"
              for tool in tools.values()))
    check("those that change the program say so",
          {name: tool.annotations.destructive_hint for name, tool in tools.items()
           if not tool.annotations.read_only_hint}
          == {"dispatch": True, "cut": True, "slow": True, "pause_clock": True, "step_clock": True,
              "resume_clock": True, "fork": False, "end_fork": True})

    composers = await call(session, "composers")
    check("composers has one as a value and in the text",
          composers.structured_content["composers"][0]["name"] == "Shop"
          and "buy" in composers.structured_content["composers"][0]["actions"]
          and "Shop" in text(composers), text(composers))

    steps = await until(session, "steps", "pricesLoaded")
    check("steps has the actions and the changes", "open   isOpen: false → true" in steps, steps)
    template = await call(session, "template", composer="Shop", name="buy")
    action = json.loads(text(template))
    check("template has the parameters of an action", set(action["buy"]) == {"item", "count"}, action)
    action["buy"] = {"item": 5, "count": 2}
    sent = await call(session, "dispatch", composer="Shop", action=action)
    check("dispatch sends it", "Sent to Shop" in text(sent))
    await until(session, "steps", "buy(item: 5, count: 2)", last=1)
    rows = (await call(session, "steps", last=1)).structured_content["rows"]
    check("steps has rows as values", rows[0]["text"] == "buy(item: 5, count: 2)", rows)
    bought = rows[0]["event"]

    detail = text(await call(session, "event", event=bought))
    check("event has all values", "action: buy(item: 5, count: 2)" in detail, detail)
    state = await call(session, "state_at", composer="Shop")
    check("state_at has the state as JSON",
          state.structured_content["state"]["bought"] == [5, 5], text(state))
    check("and hides passwords", "hunter2" not in text(state), text(state))
    before = await call(session, "state_at", composer="1", event=0)
    check("and goes back to the start",
          before.structured_content["state"]["bought"] == [], text(before))
    part = text(await call(session, "state_at", composer="Shop", path="bought[1]"))
    check("and has a part", part.endswith(": 5"), part)
    diff = text(await call(session, "diff", composer="Shop", **{"from": 0}))
    check("diff has the changes", "isOpen: false → true" in diff, diff)

    loaded = (await call(session, "steps", text="pricesLoaded")).structured_content["rows"][0]
    why = text(await call(session, "why", event=loaded["event"]))
    check("why follows the causes to the first one", "step 1: open" in why, why)
    await call(session, "dispatch", composer="Shop", action={"fail": {}})
    effects = await until(session, "effects", "failed after")
    check("effects has what runs and what has failed",
          "OutOfStock" in effects and "polling: running" in effects, effects)

    await drive_sockets(session)
    await drive_recordings(session, bought)
    await drive_clock(session)

    for tool, arguments in [("event", {"event": 9_999}), ("event", {}), ("state_at", {"composer": "x"}),
                            ("dispatch", {"composer": "1", "action": {"buy": {}}}), ("cut", {"socket": 99}), ("step_clock", {"clock": 99}),
                            ("fork", {"composer": "nothing", "event": 0}), ("compare", {"composer": "1"}),
                            ("export_test", {"composer": "1", "expected": {}})]:
        result = await session.call_tool(tool, arguments)
        check(f"a wrong call of {tool} is a result with an error: {text(result)}", result.is_error)

    running.stdin.close()
    running.wait(timeout=20)
    result = await session.call_tool("composers", {})
    check(f"an ended program is an error: {text(result)}", result.is_error)
    result = await session.call_tool("composers", {})
    check("and stays one", result.is_error and "no connection" in text(result), text(result))
    await session.send_ping()
    check("the server goes on", True)


async def main():
    running = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        url = running.stdout.readline().strip()
        # The client passes few variables on; without this one a program with counters writes a file here.
        counters = {name: value for name, value in os.environ.items() if name == "LLVM_PROFILE_FILE"}
        parameters = StdioServerParameters(command=inspect, args=["mcp", url], env=counters)
        async with Client(parameters) as client:
            check("a client that asks for newer versions first falls back",
                  len((await client.list_tools()).tools) == len(TOOLS))
        async with stdio_client(parameters) as (reader, writer):
            async with ClientSession(reader, writer) as session:
                await drive(session, running)
    finally:
        running.kill()

    # Older clients, a line that is too long, and the end of the input.
    request = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2024-11-05", "capabilities": {}, "clientInfo": {"name": "old", "version": "1"}}}
    ended = subprocess.run([inspect, "mcp", "http://127.0.0.1:1/secret/"], input="x" * (5 << 20) + "\n" + json.dumps(request) + "\n",
                           capture_output=True, text=True, timeout=20)
    answers = [json.loads(line) for line in ended.stdout.splitlines()]
    check("a line that is too long is an error", "longer than 4,194,304" in answers[0]["error"]["message"], answers)
    check("an older version is accepted", answers[1]["result"]["protocolVersion"] == "2024-11-05", answers)
    check("the server ends with its input", ended.returncode == 0 and len(answers) == 2, ended.stderr)


asyncio.run(asyncio.wait_for(main(), 120))
