#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The terminal as a page to draw on: `enter` takes it over, `leave` restores it.
@MainActor
final class Terminal {
  private var original: termios?
  private var drawn: [StyledText] = []
  private var drawnSize = Size(width: 0, height: 0)

  /// Whether standard input and output are a terminal.
  nonisolated static var isInteractive: Bool {
    isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1
  }

  /// The size of the terminal.
  var size: Size {
    var window = winsize()
    guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &window) == 0, window.ws_col > 0 else {
      return Size(width: 80, height: 24)
    }
    return Size(width: Int(window.ws_col), height: Int(window.ws_row))
  }

  /// Shows the alternate screen, without a cursor, and delivers each key at once.
  func enter() {
    guard original == nil else { return }
    var settings = termios()
    guard tcgetattr(STDIN_FILENO, &settings) == 0 else { return }
    original = settings
    // Signals stay on, so that Ctrl-C and Ctrl-Z send them.
    settings.c_lflag &= ~tcflag_t(ICANON | ECHO | IEXTEN)
    settings.c_iflag &= ~tcflag_t(IXON)
    // Not flushed: a key may have been pressed already.
    tcsetattr(STDIN_FILENO, TCSADRAIN, &settings)
    // The alternate screen, no cursor, no wrapping at the last column.
    put("\u{1B}[?1049h\u{1B}[?25l\u{1B}[?7l")
  }

  /// Restores the terminal; does nothing when it is restored already.
  func leave() {
    guard var settings = original else { return }
    original = nil
    (drawn, drawnSize) = ([], Size(width: 0, height: 0))
    put("\u{1B}[0m\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l")
    tcsetattr(STDIN_FILENO, TCSAFLUSH, &settings)
  }

  /// Restores the terminal for the shell, until the program is continued.
  func suspend() {
    leave()
    raise(SIGSTOP)
    enter()
  }

  /// Draws the changed lines, in one write.
  func draw(_ page: Page) {
    guard original != nil else { return }
    let size = size
    let lines = page.lines(size)
    var output = ""
    if size != drawnSize {
      output = "\u{1B}[2J"
      drawn = []
    }
    for (row, line) in lines.enumerated() where row >= drawn.count || drawn[row] != line {
      output += "\u{1B}[\(row + 1);1H\(line.escaped)"
    }
    (drawn, drawnSize) = (lines, size)
    put(output)
  }

  private func put(_ text: String) {
    var bytes = Array(text.utf8)[...]
    while !bytes.isEmpty {
      let count = bytes.withUnsafeBytes { write(STDOUT_FILENO, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      // A closed terminal needs no more output.
      guard count > 0 else { return }
      bytes = bytes.dropFirst(count)
    }
  }
}
