extension ObservableType {
  /// Prints each subscription, event and disposal to standard output.
  ///
  /// - Parameters:
  ///   - identifier: text printed with each line; nil, the default, is the place of the call
  ///   - trimOutput: whether the middle of an event of more than 40 characters is left out; false
  ///     by default
  ///   - file: path of the source file, printed without an `identifier`; the caller's by default
  ///   - line: line in that file, printed without an `identifier`; the caller's by default
  ///   - function: function of the call, printed without an `identifier`; the caller's by default
  public func debug(
    _ identifier: String? = nil, trimOutput: Bool = false, file: String = #file, line: UInt = #line,
    function: String = #function
  ) -> Observable<Element> {
    let place = "\(file[(file.lastIndex(of: "/").map(file.index(after:)) ?? file.startIndex)...])"
    let name = identifier ?? "\(place):\(line) (\(function))"
    let log: @Sendable (String) -> Void = {
      print("\(localTimestamp()): \(name) -> \($0)")
    }
    let logEvent: @Sendable (Event<Element>) -> Void = { event in
      let text = "\(event)"
      let isTrimmed = trimOutput && text.count > 40
      log("Event \(isTrimmed ? "\(text.prefix(20))...\(text.suffix(20))" : text)")
    }
    return `do`(
      onNext: { logEvent(.next($0)) }, onError: { logEvent(.error($0)) },
      onCompleted: { logEvent(.completed) }, onSubscribe: { log("subscribed") },
      onDispose: { log("isDisposed") })
  }
}
