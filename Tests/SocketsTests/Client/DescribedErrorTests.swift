import Foundation
import Sockets
import TestSupport
import Testing

@Suite(.workerPool) struct DescribedErrorTests {
  @Test(
    arguments: [
      WebSocketError.connectionLost, WebSocketURLError.missingHost, HandshakeError.notHTTP,
      ProtocolError.textNotUTF8, TransportError.reset, TLSError.notTLS,
      WebSocketMessageError.notEncodable("Chat", reason: "its date"),
    ] as [any Error]
  )
  func `the localized description of an error is its own description`(error: any Error) {
    #expect(error.localizedDescription == "\(error)")
  }
}
