import Compose
import Foundation
import TestSupport
import Testing

@Suite("A stack of screens", .workerPool)
struct ScreenStackTests {
  @Test func `screens are pushed and popped`() {
    var stack: ScreenStack<String> = []
    #expect(stack.push("list") == 0)
    #expect(stack.push("detail") == 1)
    #expect(stack.push("photo") == 2)
    #expect(stack.top == "photo")
    #expect(stack.pop() == "photo")
    #expect(stack.screens == ["list", "detail"])
    stack.popAll()
    #expect(stack.pop() == nil)
    #expect(stack.top == nil)
  }

  @Test func `no id is used twice`() {
    var stack: ScreenStack = ["a", "b"]
    stack.pop()
    #expect(stack.push("c") == 2)
    stack.replace(with: ["d", "e"])
    #expect(stack.ids == [3, 4])
  }

  @Test func `setting the ids pops the screens that are not kept`() {
    var stack: ScreenStack = ["a", "b", "c", "d"]
    stack.ids = [0, 1]
    #expect(stack.screens == ["a", "b"])
    #expect(stack.push("e") == 4)
    stack.ids = [0, 4, 1]
    #expect(stack.screens == ["a"])
    stack.ids = [0, 9]
    #expect(stack.ids == [0])
    stack.ids = []
    #expect(stack.isEmpty)
  }

  @Test func `popping to a screen shows it, and popping from it removes it`() {
    var stack: ScreenStack = ["a", "b", "c", "d"]
    stack.pop(to: 2)
    #expect(stack.screens == ["a", "b", "c"])
    stack.pop(from: 1)
    #expect(stack.screens == ["a"])
    stack.pop(to: 7)
    stack.pop(from: 7)
    #expect(stack.screens == ["a"])
  }

  @Test func `a screen is changed by its id, and nil pops it with those above it`() {
    var stack: ScreenStack = ["a", "b", "c"]
    stack[id: 1]?.append("!")
    stack[id: 7] = "none"
    #expect(stack.screens == ["a", "b!", "c"])
    stack[id: 1] = nil
    #expect(stack.screens == ["a"])
    #expect(stack[id: 1] == nil)
  }

  @Test func `a decoded stack has the same ids and continues with new ones`() throws {
    var stack: ScreenStack = ["a", "b", "c"]
    stack.pop()
    var decoded = try JSONDecoder().decode(
      ScreenStack<String>.self, from: JSONEncoder().encode(stack))
    #expect(decoded == stack)
    #expect(decoded.push("d") == 3)
  }

  @Test func `two stacks with equal screens and ids are equal, whatever was popped before`() {
    var stack: ScreenStack = ["list", "detail"]
    stack.pop()
    #expect(stack == ["list"])
    #expect(Set([stack, ["list"]]).count == 1)
    stack.push("detail")
    #expect(stack != ["list", "detail"])
  }

  @Test func `a stack whose ids could be used again is not decoded`() throws {
    for text in [
      #"{"elements": [{"id": 3, "screen": "list"}], "nextID": 3}"#,
      #"{"elements": [{"id": 1, "screen": "a"}, {"id": 1, "screen": "b"}], "nextID": 3}"#,
    ] {
      #expect(throws: DecodingError.self) {
        try JSONDecoder().decode(ScreenStack<String>.self, from: Data(text.utf8))
      }
    }
  }

  @Test(arguments: [
    #"{"elements": [], "nextID": 9223372036854775807}"#,
    #"{"elements": [], "nextID": 9007199254740992}"#,
    #"{"elements": [], "nextID": -3}"#,
    #"{"elements": [{"id": -7, "screen": "list"}], "nextID": -3}"#,
    #"{"elements": [{"id": -7, "screen": "list"}], "nextID": 3}"#,
  ])
  func `a stack with ids that no push gives is not decoded`(text: String) throws {
    let error = #expect(throws: DecodingError.self) {
      try JSONDecoder().decode(ScreenStack<String>.self, from: Data(text.utf8))
    }
    guard case .dataCorrupted(let context) = error else {
      return #expect(Bool(false), "\(error as Any)")
    }
    #expect(context.debugDescription.contains("from 0 to below"))
  }

  @Test func `a decoded stack with the largest id is pushed to`() throws {
    let text = #"{"elements": [], "nextID": 9007199254740991}"#
    var stack = try JSONDecoder().decode(ScreenStack<String>.self, from: Data(text.utf8))
    #expect(stack.push("a") == 9_007_199_254_740_991)
    #expect(stack.push("b") == 9_007_199_254_740_992)
  }

  @Test func `it is a collection of screens with ids, and is printed with them`() {
    let stack: ScreenStack = ["a", "b"]
    #expect(stack.map(\.id) == [0, 1])
    #expect(stack.last?.screen == "b")
    #expect("\(stack)" == "[0: a, 1: b]")
    #expect("\(ScreenStack<String>())" == "[]")
  }
}
