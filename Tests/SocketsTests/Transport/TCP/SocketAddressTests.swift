import TestSupport
import Testing

@testable import Sockets

@Suite("The address of a socket", .workerPool) struct SocketAddressTests {
  @Test(arguments: [("127.0.0.1", "127.0.0.1:80"), ("::1", "[::1]:80"), ("1.2.3.4", "1.2.3.4:80")])
  func `a socket address is written as in a URL`(host: String, text: String) throws {
    let address = try #require(try SocketAddress.find(host, port: 80, .literal).first)
    #expect(address.description == text)
    #expect(address.port == 80)
  }

  @Test func `a name is not a numeric address, and is not looked up as one`() {
    for host in ["localhost", "example.com", "1.2.3.4.5"] {
      #expect(throws: TransportError.self) {
        _ = try SocketAddress.find(host, port: 1, .literal)
      }
    }
  }

  @Test func `a name with a zero byte is not found`() {
    let name = "127.0.0.1\0.example.com"
    #expect(
      throws: TransportError.hostNotFound(host: name, reason: "a name cannot contain a zero byte")
    ) {
      _ = try SocketAddress.find(name, port: 1, .name)
    }
  }

  @Test func `an empty host is every local address for a listener`() throws {
    let all = try SocketAddress.find("", port: 7, .listening).map(\.description)
    #expect(!all.isEmpty && Set(all).isSubset(of: ["0.0.0.0:7", "[::]:7"]))
  }

  @Test func `an address that the system does not report is nil`() {
    #expect(SocketAddress { _, _ in -1 } == nil)
  }

  @Test func `the address families alternate, each in its own order`() throws {
    func order(_ hosts: [String]) throws -> [String] {
      let addresses = try hosts.flatMap { host throws(TransportError) in
        try SocketAddress.find(host, port: 1, .literal)
      }
      return SocketAddress.alternating(addresses).map(\.description)
    }
    #expect(
      try order(["::1", "::2", "::3", "127.0.0.1", "127.0.0.2"])
        == ["[::1]:1", "127.0.0.1:1", "[::2]:1", "127.0.0.2:1", "[::3]:1"]
    )
    #expect(
      try order(["127.0.0.1", "::1", "127.0.0.2"]) == ["127.0.0.1:1", "[::1]:1", "127.0.0.2:1"]
    )
    #expect(try order([]) == [])
  }
}
