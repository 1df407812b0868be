/// The return addresses of the functions that a thread is in, the innermost first.
struct CallStack: Hashable, Sendable {
  let addresses: [UInt]

  /// Where the current thread is; some microseconds.
  static func capture() -> CallStack {
    // An operator is a few calls below its caller.
    CallStack(addresses: returnAddresses(atMost: 24).map { UInt(bitPattern: $0) })
  }
}

/// The call of an operator, or of what else makes a subscription.
struct CallSite: Hashable, Sendable {
  /// What was called: `map`, `subscribe`, `PublishSubject`.
  let operatorName: String
  let path: String
  let line: Int
  let column: Int

  /// `map — Search.swift:43`, as far as it is known.
  static func text(_ operatorName: String?, _ path: String?, _ line: Int?) -> String {
    let name = operatorName ?? "subscription"
    guard let path, let line else { return name }
    return "\(name) — \(path.split(separator: "/").last ?? ""):\(line)"
  }
}

/// A function that stands at a return address, or one that was inlined there.
struct SourceFrame: Sendable {
  /// As `ObservableType.map<A>(_:)`.
  let function: String
  /// Whether it is one of this package.
  let isLibrary: Bool
  /// Its place, unless the compiler has made it.
  let place: Place?

  struct Place: Sendable {
    let path: String
    let line: Int
    let column: Int
  }
}

extension CallSite {
  /// The call that led out of `frames`' first functions, which are those of this package, into the others.
  ///
  /// Nil when no place is known. When all of them are functions of this package, the place is that of the outermost one.
  init?(_ frames: [SourceFrame]) {
    guard
      let library = frames.firstIndex(where: \.isLibrary),
      let caller = frames[library...].firstIndex(where: { !$0.isLibrary && $0.place != nil })
        ?? frames.lastIndex(where: { $0.isLibrary && $0.place != nil }),
      let place = frames[caller].place
    else { return nil }
    let called = frames[..<max(caller, library + 1)].lastIndex { $0.isLibrary } ?? library
    // A relay makes its observable for the operator that is called on it.
    let making = frames[library...called].first { $0.function.hasSuffix("Relay.asObservable()") }
    operatorName = Self.name(of: (making ?? frames[called]).function)
    (path, line, column) = (place.path, place.line, place.column)
  }

  /// The bare name of a function: `map` of `static ObservableType.map<A>(_:)`, `PublishSubject` of its initializer.
  static func name(of function: String) -> String {
    var genericDepth = 0
    let path = function.prefix { $0 != "(" }.filter { character in
      if character == "<" { genericDepth += 1 }
      defer { if character == ">" { genericDepth -= 1 } }
      return genericDepth == 0
    }
    let names = (path.split(separator: " ").last ?? "").split(separator: ".").map(String.init)
    guard let last = names.last else { return function }
    let isType = ["init", "__allocating_init", "asObservable"].contains(last) && names.count > 1
    return isType ? names[names.count - 2] : last
  }
}
