import Foundation

@testable import Sockets

extension HandshakeError {
  /// A rejection with this status, without a reason or a body.
  static func rejected(_ status: Int, _ headers: HTTPHeaders = [:]) -> HandshakeError {
    .rejected(status: status, reason: "", headers: headers, body: Data())
  }
}
