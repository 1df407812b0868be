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

/// The keys of a step, of its state and of what its reducer has drawn, in its line.
let stepPath = ["kind", "step", "_0"]
let statePath = stepPath + ["state"]
let drawnPath = stepPath + ["drawn"]
