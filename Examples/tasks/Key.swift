import Dispatch
import Reactive

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A key of the terminal.
enum Key: Hashable, Sendable {
  case up, down, enter, escape, backspace, character(Character)

  /// The keys that the terminal has sent at once.
  static func keys(in text: String) -> [Key] {
    switch text {
    case "\u{1B}[A": [.up]
    case "\u{1B}[B": [.down]
    case _ where text.hasPrefix("\u{1B}"): [.escape]
    default:
      text.map { character in
        switch character {
        case "\n", "\r": .enter
        case "\u{7F}": .backspace
        default: .character(character)
        }
      }
    }
  }
}

/// The keys that are pressed, on the main queue; completes at the end of the input.
let keyboard = Observable<Key>.create { observer in
  // A source may be cancelled from any thread.
  nonisolated(unsafe) let source = DispatchSource.makeReadSource(
    fileDescriptor: STDIN_FILENO, queue: .main)
  source.setEventHandler {
    var bytes = [UInt8](repeating: 0, count: 64)
    let count = read(STDIN_FILENO, &bytes, bytes.count)
    guard count > 0 else { return observer.onCompleted() }
    Key.keys(in: String(decoding: bytes[..<count], as: UTF8.self)).forEach(observer.onNext)
  }
  source.resume()
  return Disposables.create { source.cancel() }
}
