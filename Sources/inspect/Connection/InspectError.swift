import Sockets

/// Why a command failed.
enum InspectError: Error, Equatable {
  /// There is no connection to the program.
  case noConnection(address: String, WebSocketError)
  /// Something else than an inspector answered, or the secret is another one.
  case notFound(address: String)
  /// The program speaks another version of the protocol.
  case otherVersion(String)
  /// The connection ended: the program or its inspector has.
  case programEnded
  /// The program did not answer.
  case noReply(seconds: Int)
  /// The answer is not that of the protocol.
  case notUnderstood(String)
  /// The program answered with an error.
  case refused(ServerError)
  /// No composer, or no socket, has this name or number.
  case unknown(_ noun: String, String, known: [String])
  /// Several composers, or sockets, have this name.
  case ambiguous(_ noun: String, String, numbers: [Int])
  /// An argument has a wrong value, as the text describes.
  case invalid(String)

  var exitStatus: Int32 {
    switch self {
    case .noConnection, .notFound, .programEnded: ExitStatus.notConnected
    default: ExitStatus.failed
    }
  }
}

extension InspectError: CustomStringConvertible {
  /// The problem and what to do next.
  var description: String {
    switch self {
    case .noConnection(let address, let error):
      """
      there is no connection to \(address): \(error). Check that the program runs. Each start of the program has \
      another address, which the program prints.
      """
    case .notFound(let address):
      """
      there is no inspector with this secret at \(address). Copy the whole address that the program prints, such as \
      http://127.0.0.1:51234/9f86d081884c7d659a2feaa0c55ad015/.
      """
    case .otherVersion(let problem):
      "\(problem) Build this tool and the program with the same version of the package."
    case .programEnded: "the program has ended, or has stopped its inspector"
    case .noReply(let seconds):
      "the program has not answered for \(seconds) s. It may be stopped in a debugger."
    case .notUnderstood(let problem):
      "\(problem). Build this tool and the program with the same version of the package."
    case .refused(let error): error.message
    case .unknown(let noun, let name, let known):
      "there is no \(noun) \(name). "
        + (known.isEmpty
          ? "The program has made none since its inspector started."
          : "There are: \(known.joined(separator: ", ")).")
    case .ambiguous(let noun, let name, let numbers):
      "\(numbers.count) \(noun)s match \(name). Give a number: "
        + numbers.map { "\($0)" }.joined(separator: ", ") + "."
    case .invalid(let problem): problem
    }
  }
}
