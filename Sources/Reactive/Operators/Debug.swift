extension ObservableType {
  /// Prints what happens to standard output: `subscribed`, every event, `isDisposed`.
  ///
  /// - Parameters:
  ///   - identifier: printed with each line; by default the place of the call.
  ///   - trimOutput: whether of an event of more than 40 characters the middle is left out.
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
