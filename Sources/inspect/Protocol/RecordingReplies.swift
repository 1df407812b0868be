// The results of the requests about recordings.

struct CreatedComposer: Codable, Equatable, Sendable { let composer: Int }

struct ExportedText: Codable, Equatable, Sendable { let text: String }

struct Comparison: Codable, Equatable, Sendable {
  struct Difference: Codable, Equatable, Sendable {
    /// The position of the step in both composers, from 0.
    let position: Int
    /// The steps of both; nil for a composer that has no more.
    let rows: [Row?]
    /// From the state of the first one to that of the second one.
    let changes: [ValueChange]
    /// The number of the changes that are left out.
    var moreChanges: Int?
    /// From the actions of the first step to those of the second one.
    var actionChanges: [ValueChange] = []
    var moreActionChanges: Int?
    /// What to do about ids or dates that differ in each run.
    var advice: String?
  }

  /// The number of steps that are equal from the first one on.
  let equalSteps: Int
  /// Nil when all steps are equal.
  var difference: Difference?
  /// Whether there are steps behind the equal ones that are not compared.
  var isCut = false
}
