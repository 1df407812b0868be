/// A topic of recipes, whose raw value is the name of their folder, in the order of the site.
package enum RecipeTopic: String, CaseIterable, Sendable {
  case requests = "Requests"
  case input = "Input"
  case sockets = "Sockets"
  case time = "Time"
  case state = "State"
  case testing = "Testing"

  /// The heading of the topic.
  package var title: String {
    switch self {
    case .requests: "Requests"
    case .input: "Input"
    case .sockets: "Sockets"
    case .time: "Time and rate"
    case .state: "State and screens"
    case .testing: "Testing"
    }
  }

  /// What the recipes of the topic are about.
  package var summary: String {
    switch self {
    case .requests: "Requests that fail, repeat, overtake each other or wait for one another."
    case .input: "What a user types, taps and takes back."
    case .sockets: "Live connections: messages, replies, loss and sharing."
    case .time: "Timers, queues and pauses."
    case .state: "State that several things change, and effects that end with a screen."
    case .testing: "Tests that wait for nothing."
    }
  }
}
