import Dispatch
import Reactive

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Emits, on the main queue, each signal of `numbers`; their default actions are turned off.
package func signals(_ numbers: Int32...) -> Observable<Int32> {
  .deferred {
    _ = mailbox
    // A handler may interrupt any code, so only async-signal-safe calls such as `write` are allowed.
    let post: @convention(c) (Int32) -> Void = { number in
      let interrupted = errno
      defer { errno = interrupted }
      var byte = UInt8(truncatingIfNeeded: number)
      _ = write(mailbox.entry, &byte, 1)
    }
    for number in numbers { signal(number, post) }
    return posted.filter { numbers.contains($0) }
  }
}

/// A pipe from the handler to the main queue.
///
/// A dispatch source of signals starts to observe some time after it was made, and loses a signal that
/// arrives before; a pipe keeps that signal.
private let mailbox: (exit: Int32, entry: Int32) = {
  var ends: [Int32] = [-1, -1]
  precondition(pipe(&ends) == 0, "There is no descriptor left for the signals.")
  return (ends[0], ends[1])
}()

private let posted = Observable<Int32>.create { observer in
  // A source may be cancelled from any thread.
  nonisolated(unsafe) let source = DispatchSource.makeReadSource(
    fileDescriptor: mailbox.exit,
    queue: .main
  )
  source.setEventHandler {
    var number: UInt8 = 0
    if read(mailbox.exit, &number, 1) == 1 { observer.onNext(Int32(number)) }
  }
  source.resume()
  return Disposables.create { source.cancel() }
}
.share()
