import ActionCable
import TestSupport
import Testing

@Suite(.workerPool) struct CableIdentifierTests {
  @Test func `C16: an identifier has one spelling for any order of its parameters`() {
    let first = CableIdentifier("ChatChannel", ["chat_id": 7, "a": [true], "é/": nil])
    let second = CableIdentifier("ChatChannel", ["é/": nil, "a": [true], "chat_id": 7])
    #expect(first.text == #"{"a":[true],"channel":"ChatChannel","chat_id":7,"é/":null}"#)
    #expect(first == second)
    #expect(first.hashValue == second.hashValue)
    #expect("\(first)" == first.text)
  }

  @Test func `C16: an identifier needs no parameters`() {
    #expect(CableIdentifier("EchoChannel").text == #"{"channel":"EchoChannel"}"#)
  }

  @Test func `C15: a channel with other parameters has another identifier`() {
    #expect(CableIdentifier("Chat", ["id": 1]) != CableIdentifier("Chat", ["id": 2]))
    // For a server, too, these are two identifiers.
    #expect(CableIdentifier("Chat", ["id": 1]) != CableIdentifier("Chat", ["id": "1"]))
  }

  @Test func `a parameter cannot replace the name of the channel`() {
    let identifier = CableIdentifier("Chat", ["channel": "Admin"])
    #expect(identifier.text == #"{"channel":"Chat"}"#)
    #expect(identifier.parameters.isEmpty)
  }
}
