import Dispatch
import Reactive

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A key that writes a character.
typealias Key = Character

/// The keys that are pressed, on the main queue; completes at the end of the input.
///
/// The terminal must be in a mode that delivers each key at once, or keys arrive line by line.
let keyboard = Observable<Key>.create { observer in
  // A source may be cancelled from any thread.
  nonisolated(unsafe) let source = DispatchSource.makeReadSource(
    fileDescriptor: STDIN_FILENO,
    queue: .main
  )
  source.setEventHandler {
    var bytes = [UInt8](repeating: 0, count: 64)
    let count = read(STDIN_FILENO, &bytes, bytes.count)
    let endOfInput: UInt8 = 4  // Ctrl-D
    guard count > 0, bytes[0] != endOfInput else { return observer.onCompleted() }
    // Arrow keys and similar ones arrive as an escape character and letters, which are not keys.
    if bytes[0] == 0x1B { return }
    for key in String(decoding: bytes[..<count], as: UTF8.self) { observer.onNext(key) }
  }
  source.resume()
  return Disposables.create { source.cancel() }
}
