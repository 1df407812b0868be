/// Passes a value to other threads without the compiler's check.
struct UncheckedSendable<Value>: @unchecked Sendable {
  // The tests verify that the value is safe to share.
  let value: Value

  init(_ value: Value) { self.value = value }
}
