import Foundation
import OperatorPages

/// All pages and files of the documentation.
package struct Site {
  /// The pages, in the order of search results.
  package let pages: [SitePage]
  private let archives: [DocCArchive]

  /// Makes all pages: runs the operators and DocC.
  ///
  /// - Parameter folder: folder for what DocC makes.
  package init(archivesIn folder: URL) async throws {
    archives = try await DocCArchive.make(in: folder)
    guard let reactive = archives.first else { preconditionFailure("There is no module.") }
    var outputs: [String: [String]] = [:]
    for page in OperatorPage.all { outputs[page.name] = try await page.example.run() }
    let operators = OperatorSitePages(reference: reactive, outputs: outputs)
    pages =
      try await operators.pages()
      + RecipeSitePages(recipes: try Recipe.all(), archives: archives).pages()
      + OverviewPages(archives: archives).pages()
      + archives.flatMap { ReferencePages($0).pages }
  }

  /// Writes the site to a folder, in place of what is there.
  package func write(to folder: URL) throws {
    let files = FileManager.default
    if files.fileExists(atPath: folder.path) { try files.removeItem(at: folder) }
    try write(Data(PackageResources.style_css), "style.css", in: folder)
    try write(Data(PackageResources.site_js), "site.js", in: folder)
    try write(Data(SearchIndex(pages).script().utf8), "search-index.js", in: folder)
    for page in pages { try write(Data(PageFrame.render(page).utf8), page.place, in: folder) }
    for archive in archives where files.fileExists(atPath: archive.images.path) {
      for image in try files.contentsOfDirectory(
        at: archive.images, includingPropertiesForKeys: nil)
      {
        try write(Data(contentsOf: image), "images/\(image.lastPathComponent)", in: folder)
      }
    }
  }

  private func write(_ data: Data, _ name: String, in folder: URL) throws {
    let file = folder.appending(path: name)
    try FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try data.write(to: file)
  }
}
