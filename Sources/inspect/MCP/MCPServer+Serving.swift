extension MCPServer {
  /// The most bytes of a message of the client.
  static let messageLimit = 4 << 20

  /// Answers the lines of an input until its end.
  ///
  /// A line beyond ``messageLimit`` is skipped without being held, and answered with an error.
  ///
  /// - Parameters:
  ///   - read: waits for bytes; none at the end
  ///   - write: writes an answer
  func serve(
    _ read: @Sendable () async -> [UInt8], _ write: @Sendable (String) -> Void
  ) async {
    var splitter = LineSplitter(limit: Self.messageLimit)
    var isEnded = false
    while !isEnded {
      let bytes = await read()
      isEnded = bytes.isEmpty
      let lines = isEnded ? [splitter.end()].compactMap(\.self) : splitter.receive(bytes)
      for line in lines {
        switch line {
        case .text(let text): if let answer = await answer(to: text) { write(answer) }
        case .tooLong: write(MCPAnswer.failure(.tooLong(limit: Self.messageLimit), to: .null).json)
        }
      }
    }
  }
}
