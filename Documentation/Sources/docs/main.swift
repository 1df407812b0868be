import DocumentationSite
import Foundation

// Builds the site in Documentation/site.
let archives = FileManager.default.temporaryDirectory.appending(path: "docs-\(UUID().uuidString)")
defer { try? FileManager.default.removeItem(at: archives) }
let folder = Repository.root.appending(path: "Documentation/site")
let site = try await Site(archivesIn: archives)
try site.write(to: folder)
print("\(site.pages.count) pages in Documentation/site: open index.html")
