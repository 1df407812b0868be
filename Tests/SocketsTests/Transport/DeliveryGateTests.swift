import TestSupport
import Testing

@testable import Sockets

@Suite("Whether a transport may deliver", .workerPool) struct DeliveryGateTests {
  @Test func `reading is resumed once for each pause`() {
    let gate = DeliveryGate()
    let resumes = [true, false, true, true].map { gate.setReading($0) }
    #expect(resumes == [false, false, true, false])
    let open = gate.isOpen
    gate.setReading(false)
    let paused = gate.isOpen
    #expect(open && !paused)
  }

  @Test func `closing begins once, and then nothing is delivered`() {
    let gate = DeliveryGate()
    let begins = [gate.beginClosing(), gate.beginClosing()]
    #expect(begins == [true, false])
    let flags = [gate.isClosing, gate.isReading, gate.isOpen]
    #expect(flags == [true, true, false])
  }
}
