import Foundation
import TestSupport
import Testing

@testable import Inspector

@Suite(.workerPool)
struct EnumCasesTests {
  @Test func `cases with associated values come before those without`() {
    #expect(EnumCases.names(of: Mixed.self) == ["open", "move", "refresh", "close"])
  }

  @Test func `an enum has its names whatever it stores`() {
    #expect(EnumCases.names(of: Plain.self) == ["one", "two", "three"])
    #expect(EnumCases.names(of: Single.self) == ["only"])
    #expect(EnumCases.names(of: OnePayload.self) == ["some", "none", "other"])
    #expect(EnumCases.names(of: Raw.self) == ["first", "second"])
    #expect(EnumCases.names(of: Tree.self) == ["node", "leaf"])
    #expect(EnumCases.names(of: PartlyIndirect.self) == ["deep", "flat"])
    #expect(EnumCases.names(of: Odd.self) == ["function", "any", "nothing", "never"])
    #expect(EnumCases.names(of: Quoted.self) == ["a name with spaces", "größe"])
  }

  @Test func `generic enums have their names for each type`() {
    #expect(EnumCases.names(of: Generic<Int, String>.self) == ["left", "right", "none"])
    #expect(EnumCases.names(of: Generic<Void, Never>.self) == ["left", "right", "none"])
    #expect(EnumCases.names(of: Generic<Generic<Int, Int>, [Any]>.self).count == 3)
    #expect(EnumCases.names(of: Outer<Int>.Inner.self) == ["value", "empty"])
    #expect(EnumCases.names(of: Result<Int, any Error>.self) == ["success", "failure"])
  }

  @Test func `an enum inside a function has its names`() {
    enum Local {
      case here(Int)
      case there
    }
    #expect(EnumCases.names(of: Local.self) == ["here", "there"])
  }

  @Test func `an enum of 300 cases has all its names`() {
    #expect(EnumCases.names(of: Large.self) == (0..<300).map { "c\($0)" })
  }

  @Test func `an optional has the cases some and none`() {
    #expect(EnumCases.names(of: Int?.self) == ["some", "none"])
    #expect(EnumCases.names(of: Plain??.self) == ["some", "none"])
    #expect(EnumCases.names(of: (any Error)?.self) == ["some", "none"])
  }

  @Test func `an enum without cases has no names`() {
    #expect(EnumCases.names(of: Never.self) == [])
    #expect(EnumCases.names(of: Namespace.self) == [])
  }

  @Test func `other types have no names`() {
    let types: [Any.Type] = [
      Int.self, Bool.self, String.self, [Int].self, [String: Int].self, URL.self, Date.self,
      Mixture.self, Reference.self, Child.self, Worker.self, (Int, String).self, Void.self,
      (() -> Void).self, (@convention(c) (Int) -> Int).self, Any.self, AnyObject.self,
      (any Error).self, (any Sequence<Int>).self, (any Hashable & Sendable).self, Int.Type.self,
      (any Error.Type).self, (any Error).Type.self, Any.Type.self, NSObject.self, JSONDecoder.self,
      UnsafeRawPointer.self, KeyPath<String, Int>.self, StaticString.self, SIMD4<Float>.self,
    ]
    for type in types {
      #expect(EnumCases.names(of: type) == [], "\(type)")
    }
  }

  @Test func `enums of other modules have their names`() {
    #expect(EnumCases.names(of: Testing.Test.Case.self) == [])
    #expect(
      Set(EnumCases.names(of: DecodingError.self)) == [
        "typeMismatch", "valueNotFound", "keyNotFound", "dataCorrupted",
      ])
    #expect(Set(EnumCases.names(of: Event<Int>.self)) == ["next", "error", "completed"])
  }

  @Test func `many threads read the same enum`() async {
    await withTaskGroup(of: [String].self) { group in
      for _ in 0..<8 {
        group.addTask { EnumCases.names(of: Generic<[Int], Set<String>>.self) }
      }
      for await names in group { #expect(names == ["left", "right", "none"]) }
    }
  }

  @Test func `the name of a value's case is found with and without associated values`() {
    let names = EnumCases.names(of: Mixed.self)
    #expect(EnumCases.name(of: Mixed.open(id: 1), among: names) == "open")
    #expect(EnumCases.name(of: Mixed.move(1, to: 2), among: names) == "move")
    #expect(EnumCases.name(of: Mixed.close, among: names) == "close")
    #expect(EnumCases.name(of: 5, among: names) == nil)
  }
}

private enum Mixed {
  case refresh
  case open(id: Int)
  case close
  case move(Int, to: Int)
}

private enum Plain { case one, two, three }

private enum Single { case only }

private enum OnePayload {
  case none
  case some(String)
  case other
}

private enum Raw: String { case first = "1", second = "2" }

private indirect enum Tree {
  case leaf
  case node(Tree, Tree)
}

private enum PartlyIndirect {
  indirect case deep(PartlyIndirect)
  case flat(Int)
}

private enum Odd {
  case nothing(Void)
  case never(Never)
  case function(() -> Void)
  case any(Any)
}

private enum Quoted { case `a name with spaces`, größe }

private enum Generic<Left, Right> {
  case left(Left)
  case right(Right)
  case none
}

private struct Outer<Value> {
  enum Inner {
    case value(Value)
    case empty
  }
}

private enum Namespace {}

private struct Mixture {
  var plain = Plain.one
  var number = 0
}

private class Reference {}
private final class Child: Reference {}
private actor Worker {}

private enum Large {
  case c0, c1, c2, c3, c4, c5, c6, c7, c8, c9
  case c10, c11, c12, c13, c14, c15, c16, c17, c18, c19
  case c20, c21, c22, c23, c24, c25, c26, c27, c28, c29
  case c30, c31, c32, c33, c34, c35, c36, c37, c38, c39
  case c40, c41, c42, c43, c44, c45, c46, c47, c48, c49
  case c50, c51, c52, c53, c54, c55, c56, c57, c58, c59
  case c60, c61, c62, c63, c64, c65, c66, c67, c68, c69
  case c70, c71, c72, c73, c74, c75, c76, c77, c78, c79
  case c80, c81, c82, c83, c84, c85, c86, c87, c88, c89
  case c90, c91, c92, c93, c94, c95, c96, c97, c98, c99
  case c100, c101, c102, c103, c104, c105, c106, c107, c108, c109
  case c110, c111, c112, c113, c114, c115, c116, c117, c118, c119
  case c120, c121, c122, c123, c124, c125, c126, c127, c128, c129
  case c130, c131, c132, c133, c134, c135, c136, c137, c138, c139
  case c140, c141, c142, c143, c144, c145, c146, c147, c148, c149
  case c150, c151, c152, c153, c154, c155, c156, c157, c158, c159
  case c160, c161, c162, c163, c164, c165, c166, c167, c168, c169
  case c170, c171, c172, c173, c174, c175, c176, c177, c178, c179
  case c180, c181, c182, c183, c184, c185, c186, c187, c188, c189
  case c190, c191, c192, c193, c194, c195, c196, c197, c198, c199
  case c200, c201, c202, c203, c204, c205, c206, c207, c208, c209
  case c210, c211, c212, c213, c214, c215, c216, c217, c218, c219
  case c220, c221, c222, c223, c224, c225, c226, c227, c228, c229
  case c230, c231, c232, c233, c234, c235, c236, c237, c238, c239
  case c240, c241, c242, c243, c244, c245, c246, c247, c248, c249
  case c250, c251, c252, c253, c254, c255, c256, c257, c258, c259
  case c260, c261, c262, c263, c264, c265, c266, c267, c268, c269
  case c270, c271, c272, c273, c274, c275, c276, c277, c278, c279
  case c280, c281, c282, c283, c284, c285, c286, c287, c288, c289
  case c290, c291, c292, c293, c294, c295, c296, c297, c298, c299
}
