/// The arguments of the program.
struct Arguments: Equatable {
  /// The names of the apps; empty for all.
  var apps: [String] = []
  var seeds: ClosedRange<UInt64> = 1...100
  /// Minutes of real time after which no further seed is begun; nil for no limit.
  var minutes: Double?
  /// Whether one run is shown by an inspector.
  var isInspected = false
  /// Whether the search ends with the first run that fails.
  var endsAtFirst = false
  /// Whether each seed is run twice, and the two runs are compared.
  var runsTwice = false
  /// The script that breaks the network of a run with real sockets; nil for simulations.
  var networkScript: String?
  var wantsHelp = false

  static let help = """
    Simulates the example apps with their networks and faults, one run for each seed.

      swift run -c release simulate [--app NAME]... [--seeds FIRST...LAST] [--minutes NUMBER]
                                    [--first] [--twice]
      swift run simulate --app NAME --seeds NUMBER --inspect

      --app      chat, dashboard, tasks, cable, phones, sockets or catalog; all by default
      --seeds    the seeds of each app: 1...100; one number for a single run
      --minutes  real time after which no further run is begun
      --first    begins no further run once one has failed
      --twice    runs each seed twice, to find what the seed does not decide
      --inspect  shows the composers of one run, of the smallest one if it fails, in a browser
      --real     runs one app with real sockets, see Tests/Interop/networks/run.sh

    Prints what is found with its smallest story and as a Swift test. Ctrl-C ends with what was found until
    then. The exit status is 1 when something was found, and 64 for wrong arguments.
    """

  /// A wrong argument.
  struct WrongArgument: Error, CustomStringConvertible {
    let description: String
  }

  init(_ arguments: some Sequence<String>) throws(WrongArgument) {
    var rest = Array(arguments)[...]
    func value(of option: String) throws(WrongArgument) -> String {
      guard let value = rest.popFirst() else {
        throw WrongArgument(description: "\(option) needs a value; see --help")
      }
      return value
    }
    while let option = rest.popFirst() {
      switch option {
      case "--help", "-h": wantsHelp = true
      case "--inspect": isInspected = true
      case "--real": networkScript = try value(of: option)
      case "--first": endsAtFirst = true
      case "--twice": runsTwice = true
      case "--app":
        let name = try value(of: option)
        guard SimulatedApp.all.contains(where: { $0.name == name }) else {
          throw WrongArgument(description: "there is no app \(name); see --help")
        }
        apps.append(name)
      case "--seeds":
        let text = try value(of: option)
        guard let range = Self.range(text) else {
          throw WrongArgument(description: "\(text) is no range of seeds such as 1...100")
        }
        seeds = range
      case "--minutes":
        let text = try value(of: option)
        guard let number = Double(text), number > 0, number < 1e6 else {
          throw WrongArgument(description: "\(text) is no number of minutes")
        }
        minutes = number
      default: throw WrongArgument(description: "\(option) is no option; see --help")
      }
    }
    let option = isInspected ? "--inspect" : networkScript == nil ? nil : "--real"
    if let option, apps.count != 1 || seeds.count != 1 {
      throw WrongArgument(description: "\(option) needs one --app and one number for --seeds")
    }
    let ofRealSockets = SimulatedApp.ofRealSockets.map(\.name)
    if networkScript != nil, !apps.allSatisfy(ofRealSockets.contains) {
      throw WrongArgument(
        description: "--real runs one of \(ofRealSockets.joined(separator: ", "))")
    }
  }

  private static func range(_ text: String) -> ClosedRange<UInt64>? {
    if let seed = UInt64(text) { return seed...seed }
    guard let dots = text.firstRange(of: "..."), let first = UInt64(text[..<dots.lowerBound]),
      let last = UInt64(text[dots.upperBound...]), first <= last
    else { return nil }
    return first...last
  }
}
