import DocumentationSite
import OperatorPages
import Testing

@Suite("Recipes")
struct RecipeTests {
  @Test func `There are recipes for each topic, with different titles`() throws {
    let recipes = try Recipe.all()
    #expect(recipes.count >= 30)
    #expect(Set(recipes.map(\.topic)).count == RecipeTopic.allCases.count)
    #expect(Set(recipes.map(\.slug)).count == recipes.count)
  }

  @Test func `A recipe has a problem, five to forty lines of code, a test and its reasons`() throws
  {
    for recipe in try Recipe.all() {
      for part in [Recipe.Part.problem, .why, .ends] {
        let text = recipe[part]
        #expect(text.hasSuffix(".") && text.first?.isLowercase == false, "\(recipe.path): \(text)")
        #expect(text.filter { $0 == "`" }.count.isMultiple(of: 2), "\(recipe.path): \(text)")
      }
      #expect(!recipe[.problem].contains(". "), "\(recipe.path) needs several sentences.")
      let lines = recipe.code.split(separator: "\n").filter { !$0.hasPrefix("import ") }.count
      #expect((5...40).contains(lines), "\(recipe.path) has \(lines) lines of code.")
      let expects = ["#expect", "TestComposer", "Given"].contains { recipe.test.contains($0) }
      #expect(expects, "The test of \(recipe.path) expects nothing.")
      #expect(recipe.words.count >= 3 && recipe.related.count >= 3, "\(recipe.path)")
    }
  }

  @Test func `Recipes wait in virtual time only`() throws {
    for recipe in try Recipe.all() {
      for word in ["Task.sleep", "Date()", "MainScheduler", "DispatchQueue"] {
        #expect(!(recipe.code + recipe.test).contains(word), "\(recipe.path): \(word)")
      }
    }
  }

  private static let whole = """
    // Title
    //
    // Problem: One
    // sentence.
    //
    // Words: a, b
    //
    // Why: So.
    //
    // Ends: Never.
    //
    // See: map

    import Reactive
    import Testing

    let code = 1

    @Test func check() {}
    """

  @Test func `The text of a recipe is read in parts`() throws {
    let recipe = try Recipe(Self.whole, topic: .time, path: "file")
    #expect(recipe.title == "Title")
    #expect(recipe[.problem] == "One sentence.")
    #expect(recipe.words == ["a", "b"])
    #expect(recipe.code == "import Reactive\n\nlet code = 1")
    #expect(recipe.test == "import Testing\n\n@Test func check() {}")
  }

  @Test(arguments: [
    ("// Title\n//\n", "title"), ("// Problem: One\n// sentence.\n//\n", "Problem"),
    ("// Words: a, b\n//\n", "Words"), ("// Why: So.\n//\n", "Why"),
    ("// Ends: Never.\n//\n", "Ends"), ("// See: map\n", "See"),
    ("import Reactive\nimport Testing\n", "imports"),
    ("let code = 1\n", "code"), ("@Test func check() {}", "test"),
  ])
  func `A recipe without one of its parts is refused`(text: String, part: String) {
    let rest = Self.whole.replacing(text, with: "")
    #expect(throws: RecipeError("file", lacks: part)) {
      try Recipe(rest, topic: .time, path: "file")
    }
  }
}
