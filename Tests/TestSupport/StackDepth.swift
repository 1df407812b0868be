import Foundation

/// How many calls lead to where it is called, 128 at most.
@inline(never)
public func stackDepth() -> Int { Thread.callStackReturnAddresses.count }
