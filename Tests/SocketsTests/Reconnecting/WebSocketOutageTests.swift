import Foundation
import TestSupport
import Testing

@testable import Sockets

@Suite("Transient and permanent outages", .workerPool)
struct WebSocketOutageTests {
  private func outage(_ error: any Error) -> WebSocketOutage {
    WebSocketOutage(error: error, code: .abnormal, reason: "")
  }

  private func refused(_ status: Int, _ headers: HTTPHeaders = [:]) -> WebSocketOutage {
    outage(WebSocketError.handshake(.rejected(status, headers)))
  }

  private func closed(_ code: CloseCode) -> WebSocketOutage {
    WebSocketOutage(error: nil, code: code, reason: "")
  }

  @Test func `each close code is transient or permanent`() {
    for code: CloseCode in [1001, 1005, 1006, 1011, 1012, 1013, 1014, 3000, 4001] {
      #expect(closed(code).isTransient, "\(code)")
    }
    for code: CloseCode in [1000, 1002, 1003, 1007, 1008, 1009, 1010] {
      #expect(!closed(code).isTransient, "\(code)")
    }
  }

  @Test func `a rejection is transient or permanent by its status`() {
    for status in [408, 425, 429, 500, 502, 503, 504] { #expect(refused(status).isTransient) }
    for status in [301, 400, 401, 403, 404, 426] { #expect(!refused(status).isTransient) }
  }

  @Test func `network failures are transient, and configuration errors are permanent`() {
    let passing: [WebSocketError] = [
      .transport(.refused(address: "a")), .transport(.reset), .connectionLost,
      .transport(.hostNotFound(host: "a", reason: "b")),
      .transport(.lookupTimedOut(host: "a", after: .seconds(30))),
      .transport(.tooManyLookups(host: "a", limit: 64)), .handshakeTimedOut(after: .seconds(10)),
      .closeTimedOut(after: .seconds(5)), .handshake(.connectionClosed),
      .transport(.proxy(.refused(proxy: "a:1", status: 502, reason: ""))),
      .transport(.proxy(.connectionClosed)),
      .transport(.proxy(.unreachable(proxy: "a:1", .refused(address: "a:1")))),
      .transport(.tls(.handshakeInterrupted)), .transport(.tls(.truncated)),
      .attemptFailed(reason: "a"),
    ]
    for error in passing { #expect(outage(error).isTransient, "\(error)") }
    let lasting: [WebSocketError] = [
      .invalidURL("a", .unsupportedScheme("b")), .redirect(.tooMany(limit: 3)),
      .handshake(.notHTTP), .handshake(.speaksTLS), .handshake(.badAccept),
      .transport(.tls(.certificateExpired)), .transport(.tls(.notTLS)),
      .transport(.tls(.plainHTTP)),
      .transport(.tls(.unavailable(reason: "a"))), .transport(.proxy(.notAProxy)),
      .transport(.proxy(.refused(proxy: "a:1", status: 407, reason: ""))),
      .protocolViolation(.messageTooLong(length: 2, limit: 1)),
    ]
    for error in lasting { #expect(!outage(error).isTransient, "\(error)") }
  }

  @Test func `an error of the user is transient, and described by its own description`() {
    struct NoToken: Error, CustomStringConvertible { let description = "no token" }
    #expect(outage(NoToken()).isTransient)
    #expect(outage(NoToken()).webSocketError == .attemptFailed(reason: "no token"))
    #expect("\(outage(NoToken()))" == "no token")
    #expect(outage(WebSocketError.connectionLost).webSocketError == .connectionLost)
    #expect("\(closed(1012))" == "closed by the peer with 1012")
  }

  @Test func `Retry-After is a number of seconds or a date`() {
    let now = Date(timeIntervalSince1970: 784_111_777)
    #expect(refused(503, ["Retry-After": "120"]).retryAfter(at: now) == .seconds(120))
    let date: HTTPHeaders = ["retry-after": "Sun, 06 Nov 1994 08:49:47 GMT"]
    #expect(refused(429, date).retryAfter(at: now) == .seconds(10))
    #expect(refused(429, date).retryAfter(at: now.addingTimeInterval(60)) == .zero)
    // Recipients accept two older forms as well (RFC 9110, section 5.6.7).
    for old in ["Sunday, 06-Nov-94 08:49:47 GMT", "Sun Nov  6 08:49:47 1994"] {
      #expect(refused(503, ["Retry-After": old]).retryAfter(at: now) == .seconds(10), "\(old)")
    }
    let in2045 = Date(timeIntervalSince1970: 2_387_000_000)
    let century: HTTPHeaders = ["Retry-After": "Sunday, 06-Nov-94 08:49:47 GMT"]
    #expect(refused(503, century).retryAfter(at: in2045)! > .seconds(48 * 365 * 86_400))
    for nonsense in [
      "", "soon", "-5", "1.5", "99999999999999999999999", "Sun, 31 Feb 1994 08:49:37 GMT",
      "Sun, 06 Nov 1994 24:49:37 GMT", "Sun, 06 Nov ١٩٩٤ 08:49:37 GMT",
      "Sun Nov 6 08:49:47 1994", "Sunday, 06-Nov-1994 08:49:47 GMT", "Sun Nov 31 08:49:47 1994",
    ] {
      #expect(refused(503, ["Retry-After": nonsense]).retryAfter(at: now) == nil)
    }
    #expect(refused(503).retryAfter(at: now) == nil)
    #expect(closed(1013).retryAfter(at: now) == nil)
  }

  @Test func `the date of Retry-After does not depend on the time zone`() async {
    await #expect(processExitsWith: .success) {
      setenv("TZ", "Asia/Tokyo", 1)
      #expect(TimeZone.current.secondsFromGMT() == 9 * 3_600)
      let date: HTTPHeaders = ["retry-after": "Sun, 06 Nov 1994 08:49:47 GMT"]
      let now = Date(timeIntervalSince1970: 784_111_777)
      let outage = WebSocketOutage(error: WebSocketError.handshake(.rejected(429, date)))
      #expect(outage.retryAfter(at: now) == .seconds(10))
    }
  }
}
