/// What is wrong with the arguments.
enum ArgumentError: Error, Equatable {
  case missingAddress
  case unknownCommand(String)
  case notAnAddress(String)
  case noSecret(String)
  case unknownOption(String)
  case unexpected(String)
  case missing(String)
  case missingValue(String)
  case notANumber(String, of: String)
  case notSeconds(String, of: String)
  case unknownKind(String)
  case notJSON(String)
  case notACorrection(String)
}

extension ArgumentError: CustomStringConvertible {
  /// The problem and what to do next.
  var description: String {
    switch self {
    case .missingAddress: "the address of the program's inspector is missing; see --help"
    case .unknownCommand(let word): "there is no command \(word); see --help"
    case .notAnAddress(let text):
      "\(text) is not the address of an inspector, such as http://127.0.0.1:51234/9f86d081884c7d659a2feaa0c55ad015/"
    case .noSecret(let text):
      "\(text) has no secret; copy the whole address that the program prints"
    case .unknownOption(let option): "there is no option \(option) here; see --help"
    case .unexpected(let word): "unexpected argument \(word); see --help"
    case .missing(let name): "\(name) is missing; see --help"
    case .missingValue(let option): "\(option) needs a value"
    case .notANumber(let word, let name): "\(name) needs a number of at least 0, not \(word)"
    case .notSeconds(let word, let name):
      "\(name) needs a number of seconds that is more than 0, not \(word)"
    case .unknownKind(let word):
      "--kinds has some of \(EventKind.names), separated by commas, not \(word)"
    case .notACorrection(let word):
      "--set needs a path and JSON, such as rows[id: 7].isDone=true, not \(word)"
    case .notJSON(let word):
      "the action \(word) is not JSON; inspect template prints that of an action"
    }
  }
}
