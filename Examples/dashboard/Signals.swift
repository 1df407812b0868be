import Dispatch
import Reactive

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Tells, on the main queue, when one of `numbers` is signalled; they do nothing else any more.
func signals(_ numbers: Int32...) -> Observable<Int32> {
  .create { observer in
    // A source may be cancelled from any thread.
    nonisolated(unsafe) let sources = numbers.map { number in
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: .main)
      source.setEventHandler { observer.onNext(number) }
      source.resume()
      return source
    }
    return Disposables.create { for source in sources { source.cancel() } }
  }
}
