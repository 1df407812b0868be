import Foundation
import TestSupport
import Testing

/// Checks the table of CaseStudies.md.
@Suite("The table of the case studies", .workerPool)
struct CaseStudiesTests {
  @Test func `the table counts the lines of each case study`() throws {
    let article = try #require(try Article.all().first { $0.name == "CaseStudies" })
    let counts = article.text.matches(of: /`(\w+StudyTests)\.swift` \| (\d+) \| (\d+) \|/)
    let studies = try Source.beside(#filePath).filter { $0.name.hasSuffix("StudyTests") }
    #expect(counts.count == studies.count)
    for study in studies {
      let stated = counts.first { $0.1 == study.name }.flatMap { Int($0.2) }
      #expect(stated == featureLines(of: study), "\(study.name)")
    }
    let ours = counts.compactMap { Int($0.2) }.reduce(0, +)
    let theirs = counts.compactMap { Int($0.3) }.reduce(0, +)
    #expect(article.text.contains("| all | | | \(ours) | \(theirs) | |"))
  }

  /// The lines between the mark of the feature and the next mark, without comments.
  ///
  /// `study` has no empty lines.
  private func featureLines(of study: Source) -> Int {
    study.text.split(separator: "\n").map(String.init)
      .drop { $0 != "// MARK: - Feature" }.dropFirst()
      .prefix { !$0.hasPrefix("// MARK: - ") }
      .count { !$0.hasPrefix("//") }
  }
}
