import Foundation
import Sockets

/// The figures of the machine.
struct Figures: Codable, Equatable, Sendable {
  /// The busy share of all processors since the previous figures, 0...1.
  var cpu = 0.0
  /// In bytes.
  var memoryUsed: UInt64 = 0
  /// In bytes.
  var memoryTotal: UInt64 = 0
  /// How many processes wanted to run, on average over 1, 5 and 15 minutes.
  var load: [Double] = []
  /// Whether the figures are simulated, because this system has no `/proc`.
  var areInvented = false

  /// The used share of the memory, 0...1.
  var memory: Double {
    memoryTotal == 0 ? 0 : min(1, Double(memoryUsed) / Double(memoryTotal))
  }
}

/// One message of the server.
struct Sample: Codable, Equatable, Sendable {
  /// The number of the sample within its connection, from 0 on: a gap means lost samples.
  var sequence: UInt32
  var figures: Figures

  /// The sample of `figures` that follows `last` on the same connection.
  static func following(_ last: Sample?, _ figures: Figures) -> Sample {
    Sample(sequence: last.map { $0.sequence &+ 1 } ?? 0, figures: figures)
  }
}

// MARK: - On the wire

extension Sample {
  /// Decodes the data of `message`.
  init(json: Data) throws { self = try JSONDecoder().decode(Sample.self, from: json) }

  /// One line of JSON.
  var message: WebSocketMessage {
    get throws { try .json(self) }
  }
}
