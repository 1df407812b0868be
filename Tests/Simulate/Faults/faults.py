"""Bugs that this package has had, each of which a small change of the present sources puts back.

A replacement is (file, old text, new text): the old text occurs once in the file, and the new one asks
`PlantedFault.number`, of which run.py adds the declaration.
"""

from dataclasses import dataclass, field


@dataclass
class Fault:
    number: int
    # What it does wrong, in one sentence.
    what: str
    # The commit that has mended it.
    mended: str
    # The apps that may find it.
    apps: list[str]
    replacements: list[tuple[str, str, str]]
    # Further arguments of the search.
    arguments: list[str] = field(default_factory=list)


CONNECTION = "Sources/Sockets/Connection/"
DELIVERY = "Sources/Sockets/Delivery/"
RECONNECTING = "Sources/Sockets/Reconnecting/"
SERVER = "Sources/Sockets/Server/"
CABLE = "Sources/ActionCable/"
EFFECTS = "Sources/Compose/Effects/"

FAULTS = [
    # MARK: The connection
    Fault(
        1, "A task that waits to send is left waiting when the transport has taken at once what another one sent.",
        "5794faab", ["sockets"],
        [(CONNECTION + "WriteScheduler.swift",
          "if !admitted.isEmpty, isWritable { loop.execute",
          "if !admitted.isEmpty, isWritable, PlantedFault.number != 1 { loop.execute")]),
    Fault(
        2, "An empty message behind a long compressed one stays in the queue until something else is sent.",
        "2c65f74d", ["sockets"],
        [(CONNECTION + "Session+Sending.swift",
          "var isFraming: Bool { codec.canFrame }",
          "var isFraming: Bool { PlantedFault.number == 2 ? codec.framableBytes > 0 : codec.canFrame }")]),
    Fault(
        3, "A connection that is reset while its bytes are not read is not noticed.",
        "16598bd1", ["sockets"],
        [(CONNECTION + "ConnectionDriver.swift",
          "    end { $0.transportFailed(error) }",
          "    if PlantedFault.number == 3, !isTransportClosed { return }\n    end { $0.transportFailed(error) }")]),
    Fault(
        4, "A peer that takes none of the queued bytes is never dropped.",
        "16598bd1", ["sockets"],
        [(CONNECTION + "StallWatch.swift",
          "case .writing: options.limits.writeTimeout",
          "case .writing: PlantedFault.number == 4 ? nil : options.limits.writeTimeout")]),
    Fault(
        5, "The end of the peer behind bytes that no consumer takes is waited for without a limit.",
        "16598bd1", ["sockets"],
        [(CONNECTION + "StallWatch.swift",
          "case .unreadEnd: Self.unreadLimit",
          "case .unreadEnd: PlantedFault.number == 5 ? nil : Self.unreadLimit")]),
    Fault(
        6, "The keepalive misses a peer that has vanished while bytes wait and nothing is read.",
        "5794faab", ["sockets"],
        [(CONNECTION + "ConnectionDriver+Timeouts.swift",
          "?? (wasOwed ? plan.timeout : nil)",
          "?? (wasOwed && PlantedFault.number != 6 ? plan.timeout : nil)")]),
    Fault(
        7, "A peer that is gone without a word is not noticed: nothing pings.",
        "cd3eabb8", ["sockets"],
        [(CONNECTION + "ConnectionDriver+Timeouts.swift",
          "if let plan = options.limits.keepalive { return begin(.keepalive(plan.interval)) }",
          "if let plan = options.limits.keepalive, PlantedFault.number != 7 {\n"
          "      return begin(.keepalive(plan.interval))\n    }")]),
    Fault(
        8, "A message is delivered before the event that the connection is open.",
        "2dafd246", ["sockets"],
        [(DELIVERY + "SocketStreams.swift",
          "guard isObserved, !missesConnected, backlog.isEmpty else {",
          "guard isObserved, PlantedFault.number == 8 || !missesConnected, backlog.isEmpty else {")]),
    Fault(
        9, "What was kept for the first observer is delivered after drop() has returned.",
        "2eb4f2ae", ["sockets"],
        [(DELIVERY + "SocketStreams.swift",
          "if !(isDropped && event.isFrameOrMessage) { deliver(event) }",
          "if PlantedFault.number == 9 || !(isDropped && event.isFrameOrMessage) { deliver(event) }")]),
    Fault(
        10, "drop() drops the end that is kept for the first observer, too.",
        "5d1920ca", ["sockets"],
        [(DELIVERY + "SocketStreams.swift",
          "backlog.removeAll { $0.isFrameOrMessage }",
          "backlog.removeAll { PlantedFault.number == 10 || $0.isFrameOrMessage }")]),
    Fault(
        11, "A compressed message is refused when a step of inflating ends with its last bytes.",
        "eada4def", ["sockets"],
        [("Sources/Sockets/Protocol/Compression/Zlib.swift",
          "} while state.pointee.avail_in > 0 ? usesMore : state.pointee.avail_out == 0",
          "} while state.pointee.avail_in > 0\n"
          "        ? usesMore : state.pointee.avail_out == 0 && (PlantedFault.number != 11 || usesMore)")]),
    Fault(
        12, "Messages that wait for the last fragment of another one stay in memory after the close.",
        "c6efd3f7", ["sockets"],
        [("Sources/Sockets/Protocol/MessageCodec+Sending.swift",
          "      // 5.5.1: no data frame follows a close frame.\n      queue.value = nil",
          "      // 5.5.1: no data frame follows a close frame.\n"
          "      if PlantedFault.number != 12 { queue.value = nil }")]),
    # MARK: Servers and clients of closures
    Fault(
        13, "What a connection has held at its end counts for the memory limit of its server for good.",
        "0dba9871", ["sockets"],
        [(SERVER + "ReceiveBudget.swift",
          "    return update(to: 0)\n",
          "    return PlantedFault.number == 13 ? nil : update(to: 0)\n")]),
    Fault(
        14, "close() closes no connection while the server shuts down over a time.",
        "6164c05b", ["sockets"],
        [(SERVER + "ConnectionRegistry.swift",
          "      state.isServing = false\n      return state.sockets",
          "      let wasServing = state.isServing\n      state.isServing = false\n"
          "      return state.sockets.filter { _ in wasServing || PlantedFault.number != 14 }")]),
    Fault(
        15, "A client of closures forgets a socket as soon as the peer has closed, and what was not received yet.",
        "b8e926c1", ["sockets"],
        [("Sources/Sockets/Client/WebSocketClientSockets.swift",
          "onCompleted: { continuation.finish() }",
          "onCompleted: {\n          if PlantedFault.number == 15 { self.forget(id, new) }\n"
          "          continuation.finish()\n        }")]),
    Fault(
        16, "The connections of a broadcast are in another order in each run.",
        "81f46f03", ["cable"],
        [(SERVER + "ConnectionRegistry.swift",
          "if hostNumbers.isEmpty { return Array(open.values) }",
          "if hostNumbers.isEmpty || PlantedFault.number == 16 { return Array(open.values) }")],
        ["--twice"]),
    # MARK: Reconnecting
    Fault(
        17, "A socket that the connect closure has connected is not taken for connected, and is given up.",
        "5475db49", ["sockets"],
        [(RECONNECTING + "ReconnectionDriver.swift",
          "case .connected: received(.connected)",
          "case .connected: if PlantedFault.number != 17 { received(.connected) }")]),
    Fault(
        18, "An end that the connect closure has observed is not noticed: no attempt follows.",
        "5475db49", ["sockets"],
        [(RECONNECTING + "ReconnectionDriver.swift",
          "onCompleted: { received(.disconnected(code: .abnormal, reason: \"\")) }",
          "onCompleted: {\n        if PlantedFault.number != 18 {\n"
          "          received(.disconnected(code: .abnormal, reason: \"\"))\n        }\n      }")]),
    Fault(
        19, "Outcomes of messages that the last outputs cause are reported behind the end, and not delivered.",
        "48e17260", ["sockets"],
        [(RECONNECTING + "ReconnectionStateMachine.swift",
          "guard case .finish? = output, let next = outputs.popFirst() else { return output }",
          "guard case .finish? = output, PlantedFault.number != 19, let next = outputs.popFirst() else {\n"
          "      return output\n    }")]),
    Fault(
        20, "With the policy to fail, messages wait as long as the resume hook runs, and are sent later.",
        "48e17260", ["sockets"],
        [(RECONNECTING + "Backlog.swift",
          "    case .fail: throw .notConnected(state)",
          "    case .fail where PlantedFault.number == 20 && state == .connected: break\n"
          "    case .fail: throw .notConnected(state)"),
         (RECONNECTING + "ReconnectionStateMachine.swift",
          "let state = if case .open = phase { WebSocketState.connecting } else { state.webSocketState }",
          "let state =\n        if case .open = phase, PlantedFault.number != 20 { WebSocketState.connecting }\n"
          "        else { state.webSocketState }")]),
    # MARK: Cables
    Fault(
        21, "Calls that were not written when their connection ended are lost in silence.",
        "948c2aa2", ["cable"],
        [(CABLE + "Protocol/CableStateMachine.swift",
          "    if !calls.isEmpty { closing[generation] = calls }",
          "    if !calls.isEmpty, PlantedFault.number != 21 { closing[generation] = calls }")]),
    Fault(
        22, "A cable that does not connect again does not notice that its server is gone.",
        "0b267a7f", ["cable"],
        [(CABLE + "Protocol/CableStateMachine.swift",
          "    monitor.start(now, random)\n",
          "    if reconnects || PlantedFault.number != 22 { monitor.start(now, random) }\n")]),
    # MARK: Composers
    Fault(
        23, "A cancellation also ends the effect that was made after it and is started with it.",
        "e20049ca", ["catalog"],
        [(EFFECTS + "EffectTicket.swift",
          "invalidatingBefore: isRepeated ? effects.nextNumber() : number",
          "invalidatingBefore: isRepeated || PlantedFault.number == 23 ? effects.nextNumber() : number")]),
    Fault(
        24, "An effect that a retry starts again replaces a newer one of its id.",
        "9580ed9b", ["catalog"],
        [(EFFECTS + "EffectsOfOneID.swift",
          "case .afterFailure(let replacements): replacements == replacementCount",
          "case .afterFailure(let replacements):\n"
          "      replacements == replacementCount || PlantedFault.number == 24")]),
    Fault(
        25, "A throttled effect that a newer one has overtaken starts after it.",
        "dbb9735c", ["catalog"],
        [(EFFECTS + "EffectsOfOneID.swift",
          "if !isDue { waited?.dispose() }",
          "if !isDue, PlantedFault.number != 25 { waited?.dispose() }")]),
    Fault(
        26, "A throttled effect that runs is ended by the next one.",
        "abb87329", ["catalog"],
        [(EFFECTS + "DebounceAndThrottle.swift",
          "let effect = cancellable(id: id)\n",
          "let effect = cancellable(id: id, whenBusy: PlantedFault.number == 26 ? .replace : .together)\n")]),
    Fault(
        27, "A timer that one action of a group starts and the next one cancels runs on.",
        "8bda165e", ["catalog"],
        [("Sources/Compose/Store/Store+Step.swift",
          "run(effect, of: action, in: number) { bag.insert($0) }",
          "run(effect, of: action, in: number) {\n"
          "        (PlantedFault.number == 27 ? composer.disposeBag : bag).insert($0)\n      }")]),
    Fault(
        28, "What a child has sent before its end reaches the next child in its place.",
        "f09e20b3", ["catalog"],
        [(EFFECTS + "SenderLife.swift",
          "@usableFromInline var hasEnded: Bool { ended.load(ordering: .relaxed) }",
          "@usableFromInline var hasEnded: Bool {\n"
          "    ended.load(ordering: .relaxed) && PlantedFault.number != 28\n  }")]),
    Fault(
        29, "The effects of a child run on as long as other code keeps the child.",
        "baff0b5b", ["catalog"],
        [("Sources/Compose/Children/EmbeddedChild.swift",
          "    let bag = composer.disposeBag\n    composer.disposeBag = DisposeBag()\n    bag.dispose()\n",
          "    if PlantedFault.number != 29 {\n      let bag = composer.disposeBag\n"
          "      composer.disposeBag = DisposeBag()\n      bag.dispose()\n    }\n")]),
    # MARK: Streams
    Fault(
        30, "Operators over several sources count a second end of a source that has ended early.",
        "7fe2039e", ["dashboard", "tasks", "sockets", "catalog"],
        [("Sources/Reactive/Core/Lifetime+Sources.swift",
          "{ { if self.finish() { end($0) } } }",
          "{ { if self.finish() || PlantedFault.number == 30 { end($0) } } }")]),
]
