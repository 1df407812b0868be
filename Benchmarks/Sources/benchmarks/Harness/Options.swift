/// The options of the command line.
struct Options {
  enum Mode {
    case measure
    /// Counts instructions instead of time.
    case instructions
    case updateThresholds
    case list
    case help
    /// One contender and a number of operations, for a profiler.
    case single(Single)
    /// Writes the page of the first file; the others show which figures repeat.
    case report([String])
    /// The second process of a workload of two processes.
    case serveEcho
  }

  struct Single {
    let workload: String
    let contender: Contender.Name
    let operations: Int
  }

  private(set) var mode = Mode.measure
  private(set) var isQuick = false
  private(set) var only: [String] = []
  private(set) var json: String?
  /// Where a report is written.
  private(set) var folder = "."

  static let usage = """
    usage: benchmarks [--quick] [--only name]... [--json file]
           benchmarks --instructions [--only name]... [--json file]
           benchmarks --update-thresholds [--only name]...
           benchmarks --report file [--report file]... --into folder
           benchmarks --single=workload/contender/operations
           benchmarks --list

      --quick    short rounds; no time decides the exit code
      --only     workloads whose name contains this; may be given more than once
      --json     writes every round to a file too
      --instructions       counts instructions under valgrind and compares them with those stored
      --update-thresholds  stores allocations, bytes and instructions in Thresholds.json
      --report   writes a page and pictures of what --json wrote; of further files, whether they
                 say the same
      --single   runs one contender exactly that often and measures nothing:
                 valgrind --tool=callgrind benchmarks --single=reactive/map3/ours/100000
      --list     names the workloads

    Ctrl-C ends a run and prints what is finished. The exit code is 1 when a gate fails.
    """

  /// An unknown argument.
  struct Invalid: Error { let argument: String }

  init(_ arguments: [String]) throws(Invalid) {
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      let parts = argument.split(separator: "=", maxSplits: 1).map(String.init)
      func value() throws(Invalid) -> String {
        guard let value = parts.count == 2 ? parts[1] : rest.popFirst() else {
          throw Invalid(argument: argument)
        }
        return value
      }
      switch parts.first {
      case "--quick": isQuick = true
      case "--list": mode = .list
      case "--instructions": mode = .instructions
      case "--update-thresholds": mode = .updateThresholds
      case "--help": mode = .help
      case "--only": only.append(try value())
      case "--json": json = try value()
      case "--into": folder = try value()
      case "--serve-echo": mode = .serveEcho
      case "--single": mode = .single(try Single(value()))
      case "--report":
        let file = try value()
        if case .report(let files) = mode {
          mode = .report(files + [file])
        } else {
          mode = .report([file])
        }
      default: throw Invalid(argument: argument)
      }
    }
  }

  func includes(_ workload: String) -> Bool {
    only.isEmpty || only.contains { workload.contains($0) }
  }
}

extension Options.Single {
  /// `workload/contender/operations`, where the workload's name has a slash of its own.
  init(_ text: String) throws(Options.Invalid) {
    let parts = text.split(separator: "/").map(String.init)
    guard parts.count > 2, let contender = Contender.Name(rawValue: parts[parts.count - 2]),
      let operations = Int(parts[parts.count - 1]), operations >= 0
    else { throw Options.Invalid(argument: "--single=\(text)") }
    self.contender = contender
    self.operations = operations
    workload = parts.dropLast(2).joined(separator: "/")
  }
}
