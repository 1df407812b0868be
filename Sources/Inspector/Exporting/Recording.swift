/// The part of a composer's events that is written to a file or a test.
struct Recording {
  let timeline: any RecordedTimeline
  /// One line a step.
  let steps: [String]
}

extension AnyJSON {
  /// The value at these keys; nil for none.
  subscript(path: [String]) -> AnyJSON? {
    get {
      guard let key = path.first else { return self }
      guard case .object(let values) = self else { return nil }
      return values[key].flatMap { $0[Array(path.dropFirst())] }
    }
    set {
      guard let key = path.first else {
        if let newValue { self = newValue }
        return
      }
      guard case .object(var values) = self, var value = values[key] else { return }
      value[Array(path.dropFirst())] = newValue
      values[key] = value
      self = .object(values)
    }
  }
}

/// The keys of the state in the line of a step.
let statePath = ["kind", "step", "_0", "state"]
