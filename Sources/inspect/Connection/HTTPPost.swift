import Foundation
import Sockets

/// Sends one HTTP request with a body to an inspector.
///
/// The answer ends with its connection, as the request asks for. TLS is not supported: an inspector has none.
final class HTTPPost: TransportHandler {
  struct Answer: Equatable, Sendable {
    let status: Int
    let body: String
  }

  private struct State {
    let request: Data
    var sentCount = 0
    var answer = Data()
    var continuation: CheckedContinuation<Result<Answer, InspectError>, Never>?
  }

  private let transport: TCPTransport
  private let host: String
  private let state: Locked<State>

  /// The most bytes of an answer.
  private static let answerLimit = 1 << 16
  /// The time after which a request without an answer fails, in seconds.
  private static let timeout = 60

  /// Sends a request, and returns its answer.
  ///
  /// - Parameter path: path below the secret, with the query.
  /// - Throws: ``InspectError``.
  static func send(_ body: Data, to address: InspectorAddress, path: String) async throws -> Answer
  {
    guard let url = try? WebSocketURL(address.socketURL), !url.isSecure else {
      throw InspectError.invalid("a file is imported over http only, not over https")
    }
    let target = url.target.split(separator: "/").dropLast().map { "/" + $0 }.joined() + "/" + path
    let head = """
      POST \(target) HTTP/1.1\r
      Host: \(url.authority)\r
      Content-Type: application/jsonl\r
      Content-Length: \(body.count)\r
      Connection: close\r
      \r

      """
    let transport = TCPTransport(host: url.host, port: url.port)
    let post = HTTPPost(transport, address.host, Data(head.utf8) + body)
    let result = await withCheckedContinuation { continuation in
      post.state.withLock { $0.continuation = continuation }
      transport.start(post)
      transport.loop.schedule(after: .seconds(timeout)) { [weak post] in post?.giveUp() }
    }
    return try result.get()
  }

  private init(_ transport: TCPTransport, _ host: String, _ request: Data) {
    (self.transport, self.host) = (transport, host)
    state = Locked(State(request: request))
  }

  private func giveUp() {
    finish(.failure(.noReply(seconds: Self.timeout)))
    transport.close()
  }

  private func finish(_ result: Result<Answer, InspectError>) {
    let continuation = state.withLock { state in
      defer { state.continuation = nil }
      return state.continuation
    }
    continuation?.resume(returning: result)
  }

  /// Writes until the transport is full; called on the loop.
  private func flush() {
    let (request, sent) = state.withLock { ($0.request, $0.sentCount) }
    let accepted = request.withUnsafeBytes { bytes in
      sent < bytes.count
        ? transport.write(UnsafeRawBufferPointer(rebasing: bytes[sent...])) : 0
    }
    state.withLock { $0.sentCount += accepted }
  }

  // MARK: TransportHandler

  func transportOpened() { flush() }

  func transportWritable() { flush() }

  func transportReceived(_ bytes: UnsafeRawBufferPointer) {
    let isTooLong = state.withLock { state in
      state.answer.append(contentsOf: bytes)
      return state.answer.count > Self.answerLimit
    }
    if isTooLong { transport.close() }
  }

  // The whole answer has arrived, also when the server has not read all of the request.
  func transportEnded() { transport.close() }

  func transportClosed(_ error: TransportError?) {
    let bytes = state.withLock { $0.answer }
    if let answer = Answer(bytes) { return finish(.success(answer)) }
    finish(
      .failure(
        error.map { .noConnection(address: host, .transport($0)) }
          ?? .notUnderstood("the answer is not that of an inspector")))
  }
}

extension HTTPPost.Answer {
  /// Reads an answer up to its end; nil for anything else.
  init?(_ bytes: Data) {
    let text = String(decoding: bytes, as: UTF8.self)
    guard let end = text.firstRange(of: "\r\n\r\n"), text.hasPrefix("HTTP/1.") else { return nil }
    let words = text.prefix { $0 != "\r\n" }.split(separator: " ")
    guard words.count > 1, let status = Int(words[1]) else { return nil }
    self.init(status: status, body: String(text[end.upperBound...]))
  }
}
