import TestSupport
import Testing

@testable import Sockets

@Suite(.workerPool) struct ProtocolErrorTests {
  private static let all: [ProtocolError] = [
    .reservedBitsSet, .reservedOpcode(3), .fragmentedControlFrame(.ping),
    .controlFrameTooLong(length: 126), .lengthNotMinimal, .lengthOutOfRange, .unmaskedClientFrame,
    .maskedServerFrame, .continuationWithoutStart, .messageInsideMessage, .textNotUTF8,
    .closeReasonNotUTF8, .closeFrameTooShort, .invalidCloseCode(1005),
    .messageTooLong(length: .max, limit: .max), .compressedDataInvalid,
  ]

  @Test func `7.4.1: invalid text is 1007, an exceeded limit 1009, another error 1002`() {
    for error in Self.all {
      let expected: CloseCode =
        switch error {
        case .textNotUTF8, .closeReasonNotUTF8, .compressedDataInvalid: .invalidPayload
        case .messageTooLong: .messageTooBig
        default: .protocolError
        }
      #expect(error.closeCode == expected)
    }
  }

  @Test func `each protocol error has a description of one line that fits into a close frame`() {
    #expect(Set(Self.all.map(\.description)).count == Self.all.count)
    for text in Self.all.map(\.description) {
      #expect(!text.contains("\n"))
      #expect(text.utf8.count <= 123)
    }
  }
}
