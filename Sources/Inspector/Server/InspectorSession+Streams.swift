/// The requests about streams, and their notifications.
extension InspectorSession {
  /// The notifications of other views between two lists of streams: a second.
  private static let streamTicks = 5

  func streams() async -> StreamList {
    watches.keepLastElements()
    return await program.streams.list()
  }

  func watch(_ params: Params.Stream) throws -> Empty {
    try watches.watch(params.stream)
    return Empty()
  }

  func unwatch(_ params: Params.Stream) -> Empty {
    watches.unwatch(params.stream)
    return Empty()
  }

  /// Sends the events of the watched streams, and begins to read the list when it is due.
  func notifyStreams() {
    if let marbles = watches.takeMarbles(program.streams, at: program.clock.now) {
      notify("marbles", marbles)
    }
    guard views[.streams] != nil, !isReadingStreams, tickCount >= nextStreamsTick else { return }
    isReadingStreams = true
    // Requests and other notifications have their turns meanwhile.
    Task(priority: .utility) {
      let list = await program.streams.list()
      isReadingStreams = false
      nextStreamsTick = tickCount + Self.streamTicks
      // Ages differ; what remains equal is an empty list.
      guard views[.streams] != nil, list != sentStreams else { return }
      sentStreams = list
      notify("streams", list)
    }
  }
}
