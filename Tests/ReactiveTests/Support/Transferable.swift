/// A value for threads that keep out of each other's way by themselves.
struct Transferable<Value>: @unchecked Sendable {
  // What is tested is that it is safe.
  let value: Value

  init(_ value: Value) { self.value = value }
}
