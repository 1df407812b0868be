/// The connection to a program, which is made again after it has ended.
actor ProgramLink {
  private let address: InspectorAddress
  private var connection: InspectorConnection?

  init(_ address: InspectorAddress) { self.address = address }

  /// The connection, a new one if the last one has ended.
  ///
  /// - Throws: ``InspectError``; `CancellationError`.
  func connected() async throws -> InspectorConnection {
    if let connection, connection.isConnected { return connection }
    let new = try await InspectorConnection.connect(to: address)
    connection = new
    return new
  }
}
