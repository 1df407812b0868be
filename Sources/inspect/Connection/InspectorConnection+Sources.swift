extension InspectorConnection {
  /// The composers of the program.
  func composers() async throws -> [ComposerInfo] {
    try await self(Requests.Composers()).composers
  }

  /// The composer with this number or name.
  func composer(_ text: String) async throws -> ComposerInfo {
    try SourceSelector.one(text, in: try await composers())
  }

  /// The sockets of the program, the live ones first and then the newest.
  ///
  /// - Parameter isLive: whether only those that are live are wanted, or only the others; nil for all.
  func sockets(isLive: Bool? = nil) async throws -> [SocketInfo] {
    try await self(Requests.Sockets(isLive: isLive, limit: 5_000)).sockets
  }

  /// The socket with this number or name.
  func socket(_ text: String) async throws -> SocketInfo {
    try SourceSelector.one(text, in: try await sockets())
  }

  /// The format of rows with the names that composers and sockets have now.
  func rowFormat(isAligned: Bool = true) async throws -> RowFormat {
    RowFormat(
      started: program.started, names: SourceNames(try await composers(), try await sockets()),
      isAligned: isAligned)
  }
}
