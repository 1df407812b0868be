import TestSupport
import Testing

@testable import chat

@Suite("The arguments of the chat", .workerPool)
struct ChatArgumentsTests {
  @Test func `arguments choose a script, a server or the help`() {
    let modes: [(String, ChatArguments.Mode)] = [
      ("", .script(url: nil)),
      ("--url ws://a/cable", .script(url: "ws://a/cable")),
      ("--serve", .serve(port: 0, redis: nil)),
      ("--redis redis://a --serve --port 80", .serve(port: 80, redis: "redis://a")),
      ("--help --nonsense", .help),
    ]
    for (text, mode) in modes {
      let arguments = ChatArguments(text.split(separator: " ").map(String.init))
      #expect(arguments?.mode == mode, "\(text)")
      #expect(arguments?.isInspected == false)
    }
    #expect(ChatArguments(["--inspect"])?.isInspected == true)
  }

  @Test(arguments: [
    "--nonsense", "ws://a", "--url", "--redis redis://a", "--port 1", "--serve --url a",
    "--serve --port x", "--serve --redis",
  ])
  func `wrong arguments are refused`(text: String) {
    #expect(ChatArguments(text.split(separator: " ").map(String.init)) == nil)
  }
}
