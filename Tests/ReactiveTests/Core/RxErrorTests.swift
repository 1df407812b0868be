import Reactive
import TestSupport
import Testing

@Suite(.workerPool) struct RxErrorTests {
  @Test func `each RxError has a description`() {
    #expect(RxError.noElements.debugDescription == "Sequence doesn't contain any elements.")
    #expect(RxError.timeout.debugDescription == "Sequence timeout.")
    #expect(RxError.overflow.debugDescription == "Arithmetic overflow occurred.")
  }
}
