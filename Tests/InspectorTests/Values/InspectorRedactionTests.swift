import Foundation
import TestSupport
import Testing

@testable import Inspector

@Suite("Redaction of the inspector", .workerPool) struct InspectorRedactionTests {
  enum Header: String, Hashable, Codable { case authorization, accept }
  enum Key: Hashable, Codable { case apiToken, other }
  struct Account: Codable {
    var name = "Ann"
    var password = "S3CRET"
    var AccessToken: [String]? = ["S3CRET"]
    var tokens = ["S3CRET": ["S3CRET": 1]]
    @PresentState var secretAlert: String? = "S3CRET"
  }
  enum Action: Codable {
    case login(name: String, password: String)
    case setPassword(String)
    case header(name: String, value: String)
    case headers([HTTPHeaders.Field])
    case token
  }
  struct State: Codable {
    var account = Account()
    var byText = ["Authorization": "S3CRET", "Accept": "shown"]
    var byRawValue = [Header.authorization: "S3CRET", .accept: "shown"]
    var byCase = [Key.apiToken: "S3CRET", .other: "shown"]
    var headers = HTTPHeaders([
      HTTPHeaders.Field(name: "AUTHORIZATION", value: "S3CRET"),
      HTTPHeaders.Field(name: "Accept", value: "shown"),
    ])
    var action = Action.login(name: "Ann", password: "S3CRET")
    var other = Action.setPassword("S3CRET")
    var third = Action.header(name: "X-Token", value: "S3CRET")
    @Shared var fields = [HTTPHeaders.Field(name: "token", value: "S3CRET")]
  }
  struct Unencodable {
    var state = State()
    var pairs = [("Authorization", "S3CRET"), ("Accept", "shown")]
    var literal: KeyValuePairs = ["token": "S3CRET"]
    var item = URLQueryItem(name: "token", value: "S3CRET")
    var rows: IdentifiedArray<Session> = [Session(id: 1, token: "S3CRET")]
  }
  struct Session: Identifiable {
    let id: Int
    var token: String
  }

  private let reader = ValueReader()

  private func text(of node: ValueNode?) throws -> String {
    String(decoding: try JSONEncoder().encode(node), as: UTF8.self)
  }

  @Test func `a hidden value is in no node, text or JSON`() throws {
    var reader = reader
    reader.limits.children = 20
    let texts = [
      try text(of: reader.node(of: Unencodable())),
      ShortValueText(try #require(reader.node(of: Unencodable())), limit: 100_000).text,
      try reader.json(of: Unencodable()), try reader.json(of: State()),
    ]
    for text in texts {
      #expect(!text.contains("S3CRET"), "\(text)")
      #expect(text.contains("shown"))
      #expect(text.contains("Ann"))
    }
    for text in texts.dropFirst() { #expect(text.contains("•••")) }
  }

  @Test(arguments: [
    (#"{"token":"x","a":1}"#, #"{"token":"•••","a":1}"#),
    (#"[{"a":{"Password" : {"b":["}",2]} }}]"#, #"[{"a":{"Password" : "•••" }}]"#),
    (#" {"secret":12, "b":"token"}"#, #" {"secret":"•••", "b":"token"}"#),
    (#"{"\u0074oken":"x"}"#, #"{"\u0074oken":"•••"}"#),
    (#"{"a\"":1,"token":"x\"y","b":2}"#, #"{"a\"":1,"token":"•••","b":2}"#),
    (#"{"token":"cut o"#, #"{"token":"•••""#),
    (#"{"token":["cut", {"o"#, #"{"token":"•••""#),
    (#"{"token":"#, #"{"token":"#),
    (#"{"toke"#, #"{"toke"#),
    (#"{"a":"token","b":"c"}"#, #"{"a":"token","b":"c"}"#),
    (#"{"token" "x"}"#, #"{"token" "x"}"#),
    (#"42["e",{"token":"x"}]"#, #"42["e",{"token":"•••"}]"#),
    (#"data: {"token":"x"}"#, #"data: {"token":"•••"}"#),
    ("\u{feff}{\"token\":\"x\"}", "\u{feff}{\"token\":\"•••\"}"),
    ("{\"", "{\""), ("{", "{"), ("", ""), ("]]]}", "]]]}"),
  ])
  func `the values of hidden names in a text of JSON are hidden`(text: String, shown: String) {
    #expect(InspectorRedaction.standard.hidingValues(inJSON: text) == shown)
  }

  @Test(arguments: [
    (#"[{"name":"Authorization","value":"x"}]"#, #"[{"name":"Authorization","value":"•••"}]"#),
    (#"{"a":[{"key":"password","value":{"b":1}}]}"#, #"{"a":[{"key":"password","value":"•••"}]}"#),
    (#"[["token","x"],["page",7]]"#, #"[["token","•••"],["page",7]]"#),
    (#"["a",{"token":"b"}]"#, #"["a",{"token":"b"}]"#),
    (#"{"name":"Ann","value":7}"#, #"{"name":"Ann","value":7}"#),
  ])
  func `the value beside a hidden name in JSON is hidden`(text: String, shown: String) throws {
    #expect(try AnyJSON(parsing: text).hidingAllPairs(.standard).line == shown)
  }

  @Test func `hidden names in JSON inside a string are hidden in nodes, texts and JSON`() throws {
    let text = String(repeating: "[", count: 600) + #"{"token":"S3CRET","a":"b"}"#
    let received = ["received": text]
    for shown in [
      try self.text(of: reader.node(of: received)), reader.shortText(of: received, limit: 10_000),
      try reader.json(of: received),
    ] {
      #expect(shown.contains("•••") && !shown.contains("S3CRET"), "\(shown)")
    }
  }

  @Test func `the path of a name in a text of JSON has the names around it`() {
    let redaction = InspectorRedaction { name, path in name == "pin" && path == ["account", "card"]
    }
    #expect(
      redaction.hidingValues(
        inJSON: #"{"pin":1,"account":{"card":{"pin":2},"pin":3},"x":[{"pin":4}]}"#)
        == #"{"pin":1,"account":{"card":{"pin":"•••"},"pin":3},"x":[{"pin":4}]}"#)
  }

  @Test func `the names of hidden values are shown`() {
    #expect(
      reader.shortText(of: Action.login(name: "Ann", password: "x"))
        == #"login(name: "Ann", password: •••)"#)
    #expect(reader.shortText(of: Action.setPassword("x")) == "setPassword(•••)")
    #expect(reader.shortText(of: Action.token) == "token")
    #expect(
      reader.shortText(of: Action.header(name: "X-Token", value: "x"))
        == #"header(name: "X-Token", value: •••)"#)
    #expect(
      reader.shortText(of: Action.headers([.init(name: "Token", value: "x")]))
        == #"headers([Field(name: "Token", value: •••)])"#)
    #expect(reader.shortText(of: ["token": 1]) == "[token: •••]")
    #expect(reader.shortText(of: ("token", "x")) == #"("token", •••)"#)
    #expect(
      reader.shortText(of: URLQueryItem(name: "token", value: "x")).contains(
        #"name: "token", value: •••"#))
  }

  @Test func `a path into a hidden value leads to nothing`() {
    let value = Unencodable()
    for path in [
      ["state", "account", "password"], ["state", "account", "tokens", "a"],
      ["state", "byText", "Authorization"], ["state", "byCase", "apiToken"],
      ["state", "headers", "fields", "0", "value"], ["state", "action", "password"],
      ["state", "other", "0"], ["pairs", "0", "1"], ["rows", "id: 1", "token"],
      ["literal", "token"],
    ] {
      #expect(reader.node(of: value, at: path) == .redacted, "\(path)")
    }
  }

  @Test func `a change of a hidden value is shown without the values`() throws {
    var new = Unencodable()
    new.state.account.password = "N3W"
    new.state.account.AccessToken = nil
    new.state.account.tokens = [:]
    new.state.account.secretAlert = "N3W"
    new.state.byText["Authorization"] = "N3W"
    new.state.headers = HTTPHeaders([
      HTTPHeaders.Field(name: "AUTHORIZATION", value: "N3W"),
      HTTPHeaders.Field(name: "Accept", value: "shown"),
    ])
    new.state.action = .login(name: "Ann", password: "N3W")
    new.state.other = .setPassword("N3W")
    new.state.fields = [HTTPHeaders.Field(name: "token", value: "N3W")]
    new.pairs[0].1 = "N3W"
    new.rows[id: 1]?.token = "N3W"
    new.rows.append(Session(id: 2, token: "N3W"))
    let (lines, others) = reader.changeLines(from: Unencodable(), to: new, limit: 100)
    #expect(others == 0)
    let (changes, _) = reader.changes(from: Unencodable(), to: new)
    let json = String(decoding: try JSONEncoder().encode(changes), as: UTF8.self)
    for text in lines + [json] {
      #expect(!text.contains("S3CRET"), "\(text)")
      #expect(!text.contains("N3W"), "\(text)")
    }
    #expect(lines.contains("state.account.password: ••• → •••"))
    #expect(lines.contains("state.account.tokens: ••• → •••"))
    #expect(lines.contains("state.other.setPassword: ••• → •••"))
    #expect(lines.contains("state.action.login.password: ••• → •••"))
    #expect(lines.contains("rows[id: 1].token: ••• → •••"))
    #expect(lines.contains("rows: added 2 at 1: Session(id: 2, token: •••)"))
    #expect(
      lines.contains {
        $0.hasPrefix("state.headers.fields[0]: Field(name: \"AUTHORIZATION\", value: •••) → Field(")
      })
    #expect(lines.contains(#"pairs[0]: ("Authorization", •••) → ("Authorization", •••)"#))
    #expect(lines.count == 12)
    #expect(changes.count == 12)
  }

  @Test func `the user decides by name and path`() {
    let paths = Locked<[String: [String]]>([:])
    let redaction = InspectorRedaction { name, path in
      paths.withLock { $0[name] = path }
      return name == "name" && path.last == "account"
    }
    let reader = ValueReader(redaction: redaction)
    let value = Unencodable()
    #expect(reader.node(of: value, at: ["state", "account", "name"]) == .redacted)
    #expect(paths.withLock { $0["name"] } == ["state", "account"])
    let account = reader.node(of: value, at: ["state", "account"])
    #expect("\(account ?? .null)".contains("S3CRET"))
    guard case .object(_, let children) = account else {
      Issue.record("no object")
      return
    }
    #expect(children[0].value == .redacted)
    _ = reader.node(of: Action.setPassword("x"))
    #expect(paths.withLock { $0["setPassword"] } == [])
  }

  @Test func `names are added to the standard ones`() {
    let redaction = InspectorRedaction.standard.hiding("IBAN", "größe")
    for name in ["iban", "myIbans", "sessionTOKEN", "Größe", "client_secret", "Authorization"] {
      #expect(redaction.hides(name), "\(name)")
    }
    for name in ["", "name", "tok", "toke n", "pass", "ĩban"] {
      #expect(!redaction.hides(name), "\(name)")
    }
    #expect(!InspectorRedaction.none.hides("password"))
    #expect(!InspectorRedaction(namesContaining: [""]).hides("password"))
    #expect(!InspectorRedaction.standard.hides("iban"))
  }
}
