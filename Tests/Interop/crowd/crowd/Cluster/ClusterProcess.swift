import Foundation

/// A process of the cluster as its leader sees it: commands go to its input, answers come from its output.
final class ClusterProcess {
  private let name: String
  private let process = Process()
  private let (input, output) = (Pipe(), Pipe())
  private var unread = Data()

  /// Starts this program with other arguments.
  init(_ arguments: [String]) throws {
    name = arguments.joined(separator: " ")
    process.executableURL = Bundle.main.executableURL
    process.arguments = arguments
    process.standardInput = input
    process.standardOutput = output
    try process.run()
  }

  deinit { process.terminate() }

  func send(_ command: ClusterCommand) throws {
    let line = try JSONEncoder().encode(command) + Data("\n".utf8)
    do {
      try input.fileHandleForWriting.write(contentsOf: line)
    } catch {
      throw Problem("\(name): the process has ended")
    }
  }

  /// The answer to the next command; throws a problem of the process.
  func answer() throws -> ClusterAnswer {
    while true {
      if let end = unread.firstIndex(of: UInt8(ascii: "\n")) {
        let answer = try JSONDecoder().decode(ClusterAnswer.self, from: unread[..<end])
        unread = Data(unread[unread.index(after: end)...])
        if let problem = answer.problem { throw Problem("\(name): \(problem)") }
        return answer
      }
      let bytes = output.fileHandleForReading.availableData
      guard !bytes.isEmpty else { throw Problem("\(name): the process has ended") }
      unread += bytes
    }
  }

  func ask(_ command: ClusterCommand) throws -> ClusterAnswer {
    try send(command)
    return try answer()
  }

  /// Ends the process.
  func end() throws {
    try input.fileHandleForWriting.close()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw Problem("\(name): exit status \(process.terminationStatus)")
    }
  }
}

extension [ClusterProcess] {
  /// Sends a command to all, and returns their answers once all have answered.
  func ask(_ command: ClusterCommand) throws -> [ClusterAnswer] {
    for process in self { try process.send(command) }
    return try map { try $0.answer() }
  }

  /// Resources of all.
  func usage() throws -> ProcessUsage { try ask(.status).map(\.usage).sum }
}
