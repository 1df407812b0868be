import DocumentationSite
import Foundation
import Testing

@Suite("Pictures of the tutorial")
struct PictureTests {
  private static let pictures = Repository.root
    .appending(path: "Sources/Compose/Compose.docc/Resources")

  /// The lines of output in the picture of a step.
  private func drawn(_ step: String) throws -> [String] {
    let file = Self.pictures.appending(path: "first-program-\(step).svg")
    let text = try String(contentsOf: file, encoding: .utf8)
    return text.matches(of: /<text class="out[^>]*>(.*)<\/text>/).map { String($0.1) }
  }

  @Test(arguments: ["composer", "timer", "socket"])
  func `A program prints what its picture shows`(step: String) throws {
    let output = try Command.run(Repository.products.appending(path: "tea-\(step)").path)
    let lines = output.split(separator: "\n").map(String.init)
    #expect(!lines.isEmpty)
    #expect(try lines == drawn(step), "Run Documentation/Tutorial/pictures.sh.")
  }

  @Test func `The picture of the tests shows each test, which has passed`() throws {
    let file = Repository.root.appending(path: "Documentation/Tutorial/3-Test/TimerTests.swift")
    let tests = try String(contentsOf: file, encoding: .utf8).matches(of: /func `(.*)`/)
    let lines = try drawn("test")
    #expect(tests.count == 2)
    for test in tests {
      #expect(lines.contains { $0.hasPrefix("✔ Test \"\(test.1)\" passed") })
    }
  }

  @Test func `The package manager reads the manifest of the article`() throws {
    let package = Repository.root.appending(path: "Documentation/Tutorial/1-Composer")
    let output = try Command.run("swift", "package", "--package-path", package.path, "dump-package")
    #expect(output.contains("\"teaTests\""))
  }
}
