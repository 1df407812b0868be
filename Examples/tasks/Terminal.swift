#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The terminal as a page to draw on: `enter` takes it over, `leave` restores it.
@MainActor
final class Terminal {
  private var original = termios()

  /// Whether standard input and output are a terminal.
  nonisolated static var isInteractive: Bool {
    isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1
  }

  /// Shows the alternate screen, without a cursor, and delivers each key at once.
  func enter() {
    tcgetattr(STDIN_FILENO, &original)
    var settings = original
    settings.c_lflag &= ~tcflag_t(ICANON | ECHO | ISIG)
    tcsetattr(STDIN_FILENO, TCSADRAIN, &settings)
    put("\u{1B}[?1049h\u{1B}[?25l")
  }

  func leave() {
    put("\u{1B}[?25h\u{1B}[?1049l")
    tcsetattr(STDIN_FILENO, TCSAFLUSH, &original)
  }

  func draw(_ page: Page) {
    var window = winsize()
    let isKnown = ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &window) == 0 && window.ws_col > 0
    let (width, height) = isKnown ? (Int(window.ws_col), Int(window.ws_row)) : (80, 24)
    let lines = page.lines(width: width, height: height).map { "\($0)\u{1B}[K" }
    put("\u{1B}[H" + lines.joined(separator: "\r\n"))
  }

  private func put(_ text: String) {
    var bytes = Array(text.utf8)[...]
    while !bytes.isEmpty {
      let count = bytes.withUnsafeBytes { write(STDOUT_FILENO, $0.baseAddress, $0.count) }
      // A closed terminal needs no more output.
      guard count > 0 else { return }
      bytes = bytes.dropFirst(count)
    }
  }
}
