/// The peers' contenders, by the workload they stand beside; none in a plain build, which does not
/// resolve their packages.
#if PEERS
@MainActor let peers: [Contender.Name: [String: Contender.Preparation]] = [
  .peer: OpenCombineContenders.all,
  .async: AsyncContenders.all,
]

/// Peers that exchange messages.
@MainActor let socketPeers: [Contender.Name: @MainActor (Exchange, LatencyLog?) -> Contender.Body] =
  [
    .nio: { exchange, log in
      let echo = NIOEcho(exchange, log)
      return { echo.run($0) }
    },
    .flyingFox: { exchange, log in
      let echo = WebSocketEcho(exchange, log, url: FlyingFoxServer.url)
      return { echo.run($0) }
    },
  ]
#else
@MainActor let peers: [Contender.Name: [String: Contender.Preparation]] = [:]
@MainActor let socketPeers: [Contender.Name: @MainActor (Exchange, LatencyLog?) -> Contender.Body] =
  [:]
#endif
