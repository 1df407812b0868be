import Reactive
import TestSupport
import Testing

@Suite(.workerPool) struct ThreadSlotTests {
  @Test func `a thread slot has one pointer for each thread`() {
    let slot = ThreadSlot()
    slot.pointer = UnsafeMutableRawPointer(bitPattern: 8)
    onAnotherThread {
      #expect(slot.pointer == nil)
      slot.pointer = UnsafeMutableRawPointer(bitPattern: 16)
    }
    #expect(slot.pointer == UnsafeMutableRawPointer(bitPattern: 8))
    slot.pointer = nil
  }
}
