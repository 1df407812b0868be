/// Describes live subscriptions as trees, from the subscription up to its sources.
enum StreamReport {
  /// The streams of the last subscriptions that have the text in any of their stages.
  static func streams(
    _ streams: [StreamInfo], withText text: String?, last limit: Int
  ) -> [StreamInfo] {
    var roots: [Int: Int] = [:]
    var isWanted: [Int: Bool] = [:]
    // A stream comes after its parent.
    for stream in streams {
      let root = stream.parent.flatMap { roots[$0] } ?? stream.stream
      roots[stream.stream] = root
      isWanted[root] = isWanted[root] == true || stream.has(text)
    }
    let wanted = isWanted.filter(\.value).keys.sorted().suffix(limit)
    let kept = Set(wanted)
    return streams.filter { roots[$0.stream].map(kept.contains) == true }
  }

  static func lines(_ streams: [StreamInfo]) -> [String] {
    var children: [Int: [StreamInfo]] = [:]
    let known = Set(streams.map(\.stream))
    var roots: [StreamInfo] = []
    for stream in streams {
      if let parent = stream.parent, known.contains(parent) {
        children[parent, default: []].append(stream)
      } else {
        roots.append(stream)
      }
    }
    var lines: [String] = []
    var rest = roots.reversed().map { (stream: $0, depth: 0) }
    while let (stream, depth) = rest.popLast() {
      // A chain of thousands of operators has no indent of thousands of columns.
      lines.append(String(repeating: "  ", count: min(depth, 40)) + line(stream))
      for child in (children[stream.stream] ?? []).reversed() { rest.append((child, depth + 1)) }
    }
    return lines
  }

  private static func line(_ stream: StreamInfo) -> String {
    let file = stream.file.map { " \($0.split(separator: "/").last ?? "")" } ?? ""
    let place = file + (stream.line.map { ":\($0)" } ?? "")
    let elements = Figures.count(stream.count, "element")
    let last = stream.lastAge.map { ", the last \(Figures.seconds($0)) s ago" } ?? ""
    let text = stream.last.map { ": \($0)" } ?? ""
    let age = Figures.seconds(stream.age)
    return
      "\(stream.stream) \(stream.operator ?? "source")\(place), for \(age) s, \(elements)\(last)\(text)"
      .visible
  }
}

extension StreamInfo {
  fileprivate func has(_ text: String?) -> Bool {
    guard let text = text?.lowercased(), !text.isEmpty else { return true }
    return [self.operator, file, last].contains { $0?.lowercased().contains(text) == true }
  }
}
