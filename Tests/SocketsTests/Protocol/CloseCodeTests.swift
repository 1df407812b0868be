import TestSupport
import Testing

@testable import Sockets

@Suite(.workerPool) struct CloseCodeTests {
  @Test func `7.4: exactly the defined, registered and private close codes can be sent`() {
    let sendable = (UInt16.min...UInt16.max).filter { CloseCode(rawValue: $0).isSendable }
    let expected = Array(1000...1003) + Array(1007...1014) + Array(3000...4999)
    #expect(sendable.map(Int.init) == expected)
  }

  @Test func `the named close codes have their numbers`() {
    let codes: [CloseCode] = [
      .normal, .goingAway, .protocolError, .unsupportedData, .noStatus, .abnormal, .invalidPayload,
      .policyViolation, .messageTooBig, .mandatoryExtension, .internalError, .serviceRestart,
      .tryAgainLater, .badGateway,
    ]
    #expect(codes.map(\.rawValue) == Array(1000...1003) + Array(1005...1014))
    #expect("\(CloseCode.goingAway)" == "1001")
  }
}
