/// The options of the command line.
struct Arguments: Equatable {
  /// Whether to play a script instead of showing the list.
  var isPlain = false
  /// The number of tasks on the server; nil for 10,000.
  var count: Int?
  /// Whether a page in a browser shows what the app does.
  var isInspected = false
  var wantsHelp = false

  static let help = """
    Tasks in a terminal, kept in a file and on a server.

    usage: tasks [--plain] [--tasks N] [--inspect]

      --plain     play a script and print its results; the default when the input or the output
                  is not a terminal
      --tasks N   begin with this number of tasks, from 4 to 1000000; the default is 10000
      --inspect   print the address of a page that shows the steps and effects of the app; after
                  the script, run until interrupted
      --help      print this help

    exit status: 0 success, 1 failure, 64 wrong arguments
    """

  /// Reads the arguments, without the program's name.
  init(_ words: some Sequence<String>) throws(ArgumentError) {
    var words = words.makeIterator()
    while let word = words.next() {
      switch word {
      case "--help", "-h": wantsHelp = true
      case "--plain": isPlain = true
      case "--inspect": isInspected = true
      case "--tasks":
        guard let value = words.next() else { throw .missingValue(word) }
        // The script changes four of them.
        guard let count = Int(value), (4...1_000_000).contains(count) else {
          throw .notACount(value)
        }
        self.count = count
      default: throw .unknown(word)
      }
    }
  }
}

/// What is wrong with the arguments.
enum ArgumentError: Error, Equatable {
  case unknown(String)
  case missingValue(String)
  case notACount(String)
}

extension ArgumentError: CustomStringConvertible {
  /// The problem in one line.
  var description: String {
    let problem =
      switch self {
      case .unknown(let word): "unknown argument \(word)"
      case .missingValue(let flag): "\(flag) needs a value"
      case .notACount(let word): "\(word) is not a number from 4 to 1000000"
      }
    return problem + "; see --help"
  }
}
