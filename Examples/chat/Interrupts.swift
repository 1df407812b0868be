import Dispatch
import Reactive

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Emits each Ctrl-C, which then does not end the program.
let interrupts = Observable<Void>.create { observer in
  signal(SIGINT, SIG_IGN)
  // A source may be cancelled from any thread.
  nonisolated(unsafe) let source = DispatchSource.makeSignalSource(signal: SIGINT, queue: .main)
  source.setEventHandler { observer.onNext(()) }
  source.resume()
  return Disposables.create { source.cancel() }
}
