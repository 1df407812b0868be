import Foundation

/// Returns the number of frames on the call stack, at most 128.
@inline(never)
public func stackDepth() -> Int { Thread.callStackReturnAddresses.count }
