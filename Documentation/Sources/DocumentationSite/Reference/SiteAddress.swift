/// Addresses of pages within the site.
enum SiteAddress {
  /// The place of one of DocC's paths: "/documentation/reactive/observabletype/map(_:)" is
  /// "reactive/observabletype.html#map(_:)".
  static func place(ofDocC path: String) -> String? {
    let sides = path.split(separator: "#", maxSplits: 1)
    let parts = (sides.first ?? "").split(separator: "/").dropFirst()
    guard path.hasPrefix("/documentation/"), let module = parts.first else { return nil }
    guard let page = parts.dropFirst().first else { return "\(module)/index.html" }
    let rest = parts.dropFirst(2).joined(separator: "/")
    let anchor = rest.isEmpty ? (sides.count == 2 ? String(sides[1]) : "") : rest
    return "\(module)/\(page).html" + (anchor.isEmpty ? "" : "#\(anchor)")
  }

  /// An address of the site's root as it is written in a page at `place`.
  static func relative(_ address: String, from place: String) -> String {
    root(from: place) + address
  }

  /// The address of the site's root in a page at `place`.
  static func root(from place: String) -> String {
    String(repeating: "../", count: place.filter { $0 == "/" }.count)
  }
}
