/// The return addresses on a thread's stack, the innermost first.
struct CallStack: Hashable, Sendable {
  let addresses: [UInt]

  /// Captures the stack of the current thread, which takes some microseconds.
  static func capture() -> CallStack {
    // The stack between an operator and its caller is a few frames deep.
    CallStack(addresses: returnAddresses(atMost: 24).map { UInt(bitPattern: $0) })
  }
}

/// The call of an operator, or of another function that makes a subscription.
struct CallSite: Hashable, Sendable {
  /// The name of the called function or type: `map`, `subscribe`, `PublishSubject`.
  let operatorName: String
  let path: String
  let line: Int
  let column: Int

  /// Returns the form `map — Search.swift:43`, as far as its parts are known.
  static func text(_ operatorName: String?, _ path: String?, _ line: Int?) -> String {
    let name = operatorName ?? "subscription"
    guard let path, let line else { return name }
    return "\(name) — \(path.split(separator: "/").last ?? ""):\(line)"
  }
}

/// A function at a return address, or a function that was inlined there.
struct SourceFrame: Sendable {
  /// The name of the function, like `ObservableType.map<A>(_:)`.
  let function: String
  /// Whether the function belongs to this package.
  let isLibrary: Bool
  /// The place in the source code; nil for code that the compiler made.
  let place: SourcePosition?

  struct SourcePosition: Sendable {
    let path: String
    let line: Int
    let column: Int
  }
}

extension CallSite {
  /// Creates the site of the call from the program into this package.
  ///
  /// `frames` begin with functions of this package. Nil when no place is known. If all functions
  /// belong to this package, the place is that of the outermost one.
  init?(_ frames: [SourceFrame]) {
    guard
      let library = frames.firstIndex(where: \.isLibrary),
      let caller = frames[library...].firstIndex(where: { !$0.isLibrary && $0.place != nil })
        ?? frames.lastIndex(where: { $0.isLibrary && $0.place != nil }),
      let place = frames[caller].place
    else { return nil }
    let called = frames[..<max(caller, library + 1)].lastIndex { $0.isLibrary } ?? library
    // A relay makes its observable for the operator that is called on the relay.
    let making = frames[library...called].first { $0.function.hasSuffix("Relay.asObservable()") }
    operatorName = Self.name(of: (making ?? frames[called]).function)
    (path, line, column) = (place.path, place.line, place.column)
  }

  /// Returns the short name of a function, or of the type or the property that it makes.
  ///
  /// Examples: `map` for `static ObservableType.map<A>(_:)`, `PublishSubject` for its initializer,
  /// `messages` for `WebSocket.messages.getter`.
  static func name(of function: String) -> String {
    var genericDepth = 0
    let path = function.prefix { $0 != "(" }.filter { character in
      if character == "<" { genericDepth += 1 }
      defer { if character == ">" { genericDepth -= 1 } }
      return genericDepth == 0
    }
    let names = (path.split(separator: " ").last ?? "").split(separator: ".").map(String.init)
    guard let last = names.last else { return function }
    let isUnnamed = ["init", "__allocating_init", "asObservable", "getter"].contains(last)
    return isUnnamed && names.count > 1 ? names[names.count - 2] : last
  }
}
