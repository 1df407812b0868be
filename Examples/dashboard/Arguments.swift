/// The options of the command line.
struct Arguments: Equatable {
  /// The server to connect to; nil for the embedded one.
  var url: String?
  /// Whether to print lines instead of drawing a page.
  var isPlain = false
  /// The running time in seconds; nil for no limit.
  var seconds: Double?
  /// Whether a page in a browser shows what the program does.
  var isInspected = false
  var wantsHelp = false

  static let help = """
    A dashboard in the terminal: a WebSocket drives a composer.

    usage: dashboard [--plain] [--seconds N] [--url ws://host:port/path] [--inspect]

      --url URL      show the messages of this server; the default is an embedded server that
                     streams the figures of this machine
      --plain        print lines instead of a page, and a summary at the end; the default when
                     the output is not a terminal
      --seconds N    exit after N seconds; the default is to run until interrupted
      --inspect      print the address of a page that shows the composer's steps and effects
      --help         print this help

    keys on the page: s stops and starts polling, d has the server drop the connection, q quits

    exit status: 0 success, 1 no frame received (--plain), 2 no connection, 64 wrong arguments
    """

  /// Reads the arguments, without the program's name.
  init(_ words: some Sequence<String>) throws(ArgumentError) {
    var words = words.makeIterator()
    while let word = words.next() {
      switch word {
      case "--help", "-h": wantsHelp = true
      case "--plain": isPlain = true
      case "--inspect": isInspected = true
      case "--url":
        guard let value = words.next() else { throw .missingValue(word) }
        url = value
      case "--seconds":
        guard let value = words.next() else { throw .missingValue(word) }
        // A year is long enough for every use, and short enough for every clock.
        guard let seconds = Double(value), seconds > 0, seconds <= 31_536_000 else {
          throw .notSeconds(value)
        }
        self.seconds = seconds
      default: throw .unknown(word)
      }
    }
  }
}

/// What is wrong with the arguments.
enum ArgumentError: Error, Equatable {
  case unknown(String)
  case missingValue(String)
  case notSeconds(String)
}

extension ArgumentError: CustomStringConvertible {
  /// The problem in one line.
  var description: String {
    let problem =
      switch self {
      case .unknown(let word): "unknown argument \(word)"
      case .missingValue(let flag): "\(flag) needs a value"
      case .notSeconds(let word): "\(word) is not a number of seconds"
      }
    return problem + "; see --help"
  }
}
