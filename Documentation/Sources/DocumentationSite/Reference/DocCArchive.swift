import Foundation

/// The documentation of a module, made by DocC from its symbols and its articles.
package struct DocCArchive: Sendable {
  /// A module whose documentation has warnings, or could not be made.
  package struct Failure: Error, CustomStringConvertible {
    package let module: String
    package let output: String
    package var description: String { "The documentation of \(module):\n\(output)" }
  }

  /// The modules of the package, from the inner one outwards.
  package static let modules = [
    "Reactive", "Compose", "Sockets", "ActionCable", "SocketsRedis", "Inspector",
    "ReactiveTesting",
  ]

  let module: String
  /// The pages by their identifiers.
  let nodes: [String: RenderNode]
  /// The folder of pictures.
  let images: URL

  /// Makes the documentation of several modules at the same time.
  package static func make(
    _ modules: [String] = modules, in folder: URL
  ) async throws -> [DocCArchive] {
    try await Parallel.map(modules) { try DocCArchive($0, in: folder) }
  }

  private init(_ module: String, in folder: URL) throws {
    self.module = module
    let symbols = try SymbolGraph.extract(module, in: folder)
    let output = folder.appending(path: "\(module).doccarchive")
    let catalog = Repository.root.appending(path: "Sources/\(module)/\(module).docc")
    let log = try Command.run(
      "docc", "convert", catalog.path, "--additional-symbol-graph-dir", symbols.path,
      "--fallback-display-name", module, "--fallback-bundle-identifier", module, "--output-path",
      output.path)
    if log.contains("warning:") || log.contains("error:") {
      throw Failure(module: module, output: log)
    }
    let data = output.appending(path: "data/documentation")
    let files = FileManager.default.enumerator(at: data, includingPropertiesForKeys: nil)
    let decoder = JSONDecoder()
    var nodes: [String: RenderNode] = [:]
    while let file = files?.nextObject() as? URL {
      guard file.pathExtension == "json" else { continue }
      let node = try decoder.decode(RenderNode.self, from: Data(contentsOf: file))
      nodes[node.identifier.url] = node
    }
    self.nodes = nodes
    images = output.appending(path: "images/\(module)")
  }
}

/// The public symbols of a module.
package enum SymbolGraph {
  /// Writes the symbols to a folder, and returns it.
  ///
  /// The module's files are those of the build that this program belongs to.
  package static func extract(_ module: String, in folder: URL) throws -> URL {
    let target = folder.appending(path: module)
    try FileManager.default.createDirectory(at: target, withIntermediateDirectories: true)
    let products = Repository.products
    let map = products.appending(path: "CReactiveSystem.build/module.modulemap")
    try Command.run(
      "swift", "symbolgraph-extract", "-module-name", module, "-I",
      products.appending(path: "Modules").path, "-Xcc", "-fmodule-map-file=\(map.path)", "-target",
      try triple(), "-minimum-access-level", "public", "-skip-synthesized-members", "-output-dir",
      target.path)
    return target
  }

  private static func triple() throws -> String {
    struct Info: Decodable {
      struct Target: Decodable { let triple: String }
      let target: Target
    }
    let text = try Command.run("swiftc", "-print-target-info")
    return try JSONDecoder().decode(Info.self, from: Data(text.utf8)).target.triple
  }
}
