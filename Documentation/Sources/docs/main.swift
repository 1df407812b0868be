import DocumentationSite
import Foundation

/// Runs `body` while what it prints to standard output is dropped: the page of `debug` runs `debug`.
func withoutOutput<Result>(_ body: () async throws -> Result) async rethrows -> Result {
  let output = dup(STDOUT_FILENO)
  let null = open("/dev/null", O_WRONLY)
  dup2(null, STDOUT_FILENO)
  defer {
    fflush(nil)
    dup2(output, STDOUT_FILENO)
    close(output)
    close(null)
  }
  return try await body()
}

// Builds the site in Documentation/site.
let archives = FileManager.default.temporaryDirectory.appending(path: "docs-\(UUID().uuidString)")
defer { try? FileManager.default.removeItem(at: archives) }
let site = try await withoutOutput { try await Site(archivesIn: archives) }
try site.write(to: Repository.root.appending(path: "Documentation/site"))
print("\(site.pages.count) pages in Documentation/site: open index.html")
