/// What the command line asks for.
struct Options {
  /// One contender and a number of operations, and nothing else: for a profiler.
  struct Single {
    let workload: String
    let contender: Contender.Name
    let operations: Int
  }

  var isQuick = false
  var isList = false
  var isHelp = false
  var only: [String] = []
  var json: String?
  var isInstructions = false
  var isUpdate = false
  var single: Single?

  static let usage = """
    usage: benchmarks [--quick] [--only name]... [--json file]
           benchmarks --instructions [--only name]... [--json file]
           benchmarks --update-thresholds [--only name]...
           benchmarks --list
           benchmarks --single=workload/contender/operations

      --quick    short rounds; no time decides the exit code
      --only     workloads whose name contains this; may be given more than once
      --json     writes every round to a file too
      --instructions       counts instructions under valgrind and compares them with those stored
      --update-thresholds  stores allocations, bytes and instructions in Thresholds.json

      --list     names the workloads
      --single   runs one contender (ours, loop, chain, peer, async, raw) exactly that often and measures nothing:
                 valgrind --tool=callgrind benchmarks --single=reactive/map3/ours/100000
    """

  /// An argument that is not understood.
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
      case "--list": isList = true
      case "--instructions": isInstructions = true
      case "--update-thresholds": isUpdate = true
      case "--help": isHelp = true
      case "--only": only.append(try value())
      case "--json": json = try value()
      case "--single": single = try Single(value())
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
