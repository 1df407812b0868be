/// How deep the stack of this thread is where it is called: two calls by the same way return the same.
@inline(never)
public func stackPlace() -> UInt {
  var here: UInt8 = 0
  return withUnsafeMutablePointer(to: &here) { UInt(bitPattern: $0) }
}
