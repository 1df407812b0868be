import DocumentationSite
import Foundation
import OperatorPages
import Testing

#if canImport(FoundationXML)
import FoundationXML
#endif

@Suite("The site")
struct SiteTests {
  /// The text of each file of the site, made once.
  private static let files = Task {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: folder) }
    let output = folder.appending(path: "site")
    let site = try await Site(archivesIn: folder.appending(path: "archives"))
    try site.write(to: output)
    var files: [String: Data] = [:]
    for path in try FileManager.default.subpathsOfDirectory(atPath: output.path) {
      files[path] = try? Data(contentsOf: output.appending(path: path))
    }
    return (site, files)
  }

  private func pages() async throws -> [(place: String, tags: [TagCollector.Tag])] {
    try await Self.files.value.1.filter { $0.key.hasSuffix(".html") }.map { place, data in
      (place, try TagCollector.tags(in: data, named: place))
    }
  }

  @Test func `Every page is well-formed`() async throws {
    let pages = try await pages()
    #expect(pages.count > 400)
    for (place, tags) in pages {
      let ids = tags.compactMap { $0.attributes["id"] }
      #expect(Set(ids).count == ids.count, "\(place) has an identifier twice.")
      #expect(tags.filter { $0.name == "h1" }.count == 1, "\(place)")
    }
  }

  @Test func `No link is dead, and no page loads anything from another place`() async throws {
    let files = try await Self.files.value.1
    let pages = try await pages()
    let anchors = Dictionary(
      uniqueKeysWithValues: pages.map {
        ($0.place, Set($0.tags.compactMap { $0.attributes["id"] }))
      })
    for (place, tags) in pages {
      let loaded = tags.filter { $0.name != "a" }.compactMap {
        $0.attributes["href"] ?? $0.attributes["src"] ?? $0.attributes["srcset"]
      }
      #expect(loaded.allSatisfy { !$0.hasPrefix("http") }, "\(place)")
      let addresses = Set(tags.compactMap { $0.attributes["href"] } + loaded)
      let dead = addresses.filter { address in
        if address.hasPrefix("http") || address.hasPrefix("data:") { return false }
        let target = URL(string: address, relativeTo: URL(string: "site:/\(place)"))?.absoluteURL
        let file = String(target?.path(percentEncoded: false).dropFirst() ?? "")
        guard files[file] != nil else { return true }
        guard let anchor = target?.fragment(percentEncoded: false) else { return false }
        return anchors[file]?.contains(anchor) != true
      }
      #expect(dead.isEmpty, "\(place): \(dead.sorted())")
    }
  }

  @Test func `Every operator has a page with an SVG that has a title and a description`()
    async throws
  {
    let pages = try await pages()
    for page in OperatorPage.all {
      let tags = try #require(pages.first { $0.place == "operators/\(page.slug).html" }).tags
      #expect(["svg", "desc"].allSatisfy { name in tags.contains { $0.name == name } })
    }
  }

  @Test(arguments: [
    ("throttle", "throttle"), ("slow observers", "The contract"), ("chess", nil),
    ("permessage deflate", "Sockets"), ("switchMap", "flatMapLatest"),
    ("rejectUnauthorized", "Connecting"), ("mark water", "WebSocketConfiguration"),
    ("idle connection bytes", "Memory"),
    ("deadlocks to avoid", "Threads and queues"), ("rebinding", "Security"),
    ("gorilla", "Comparing WebSocket libraries"), ("OpenCombine", "Comparing stream libraries"),
  ])
  func `A search finds pages by their words`(query: String, title: String?) async throws {
    let site = try await Self.files.value.0
    let found = SearchIndex(site.pages).pages(matching: query).map { site.pages[$0].title }
    if let title { #expect(found.contains(title)) } else { #expect(found.isEmpty) }
  }

  @Test func `Pages and the search index are small`() async throws {
    for (name, data) in try await Self.files.value.1 where !name.hasPrefix("images/") {
      #expect(data.count < (name == "search-index.js" ? 1_000_000 : 500_000), "\(name)")
      if name.hasPrefix("operators/") { #expect(data.count < 80_000, "\(name)") }
    }
  }
}

/// Reads the elements of a page, which is also XML.
private final class TagCollector: NSObject, XMLParserDelegate {
  struct Tag {
    let name: String
    let attributes: [String: String]
  }

  private var tags: [Tag] = []

  static func tags(in data: Data, named place: String) throws -> [Tag] {
    let parser = XMLParser(data: data)
    let collector = TagCollector()
    parser.delegate = collector
    let isWellFormed = parser.parse()
    try #require(
      isWellFormed, "\(place):\(parser.lineNumber) \(String(describing: parser.parserError))")
    return collector.tags
  }

  func parser(
    _ parser: XMLParser, didStartElement name: String, namespaceURI: String?,
    qualifiedName: String?, attributes: [String: String]
  ) {
    tags.append(Tag(name: name, attributes: attributes))
  }
}
