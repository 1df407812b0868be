import Sockets

/// A connection to the inspector of a program.
final class InspectorConnection: Sendable {
  let address: InspectorAddress
  /// The inspector's answer to `hello`.
  let program: HelloReply

  private let client: RPCClient

  private init(_ client: RPCClient, _ address: InspectorAddress, _ program: HelloReply) {
    (self.client, self.address, self.program) = (client, address, program)
  }

  /// Connects, and says hello.
  ///
  /// - Throws: ``InspectError``; `CancellationError`.
  static func connect(to address: InspectorAddress) async throws -> InspectorConnection {
    var configuration = WebSocketConfiguration()
    // Recordings are long.
    configuration.messageLimit = 256 << 20
    configuration.isTapped = false
    let client = RPCClient(WebSocket(address.socketURL, configuration: configuration))
    do {
      try await client.connect()
      let hello = Requests.Hello()
      let program = try await client.call(Requests.Hello.method, hello, as: HelloReply.self)
      return InspectorConnection(client, address, program)
    } catch WebSocketError.handshake(.rejected) {
      throw InspectError.notFound(address: address.host)
    } catch let error as WebSocketError {
      throw InspectError.noConnection(address: address.host, error)
    } catch let error as ServerError where error.code == ServerError.unsupportedVersion {
      throw InspectError.otherVersion(error.message)
    } catch let error as ServerError {
      throw InspectError.refused(error)
    }
  }

  /// Whether the program can be asked.
  var isConnected: Bool { client.isConnected }

  /// The inspector's notifications; ends with the connection.
  var notifications: Observable<RPCNotification> { client.notifications }

  /// Sends a request, and returns its result.
  ///
  /// - Throws: ``InspectError``; `CancellationError`.
  func callAsFunction<Request: InspectorRequest>(_ request: Request) async throws -> Request.Reply {
    do {
      return try await client.call(Request.method, request, as: Request.Reply.self)
    } catch let error as ServerError {
      throw InspectError.refused(error)
    }
  }
}
