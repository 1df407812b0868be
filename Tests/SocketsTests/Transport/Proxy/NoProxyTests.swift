import TestSupport
import Testing

@testable import Sockets

@Suite("Where no proxy is used", .workerPool) struct NoProxyTests {
  @Test(
    arguments: [
      ("*", "example.com", true), (".example.com", "example.com", true),
      (".example.com", "a.example.com", true), ("example.com", "badexample.com", false),
      ("a.example.com", "example.com", false), ("other, example.com", "example.com", true),
      ("other example.com", "example.com", true), ("EXAMPLE.com", "example.COM", true),
      ("example.com:81", "example.com", false), ("example.com:80", "example.com", true),
      ("10.0.0.1", "10.0.0.1", true), ("10.0.0.1", "10.0.0.10", false),
      ("10.0.0.0/8", "10.255.0.1", true), ("10.0.0.0/8", "11.0.0.1", false),
      ("192.168.128.0/17", "192.168.127.1", false), ("192.168.128.0/17", "192.168.200.1", true),
      ("0.0.0.0/0", "8.8.8.8", true), ("0.0.0.0/0", "example.com", false),
      ("fd00::/8", "fdab::1", true), ("fd00::/8", "fe80::1", false),
      ("::/0", "fe80::1", true), ("::/0", "10.0.0.1", false),
      ("[fd00::1]:80", "fd00::1", true), ("fd00::1", "fd00:0::1", true),
      ("10.0.0.0/33", "10.0.0.1", false), ("10.0.0.0/x", "10.0.0.0", false), ("", "a", false),
      (",,", "a", false), ("example.com.", "example.com", true),
      ("127.0.0.0/8", "2130706433", true),
    ] as [(String, String, Bool)]
  )
  func `an entry covers what it should`(list: String, host: String, isCovered: Bool) {
    #expect(NoProxy(list).covers(host, 80) == isCovered)
  }

  @Test(arguments: ["", "example.com", "10.0.0.0/8"])
  func `this machine has none, whatever is listed`(list: String) {
    for host in ["localhost", "LocalHost.", "127.0.0.1", "127.200.0.9", "::1", "::ffff:127.0.0.1"] {
      #expect(NoProxy(list).covers(host, 80))
    }
    #expect(!NoProxy(list).covers("localhost.example", 80))
  }

  @Test func `an entry with a port is for that port, of a name, an address and everything`() {
    let list = NoProxy("example.com:81,[fd00::1]:82,10.0.0.0/8:83,*:84")
    for (host, port) in [("a.example.com", 81), ("fd00::1", 82), ("10.1.2.3", 83), ("any", 84)] {
      #expect(list.covers(host, UInt16(port)))
      #expect(!list.covers(host, 80))
    }
  }

  @Test func `an address in IPv6 clothes is the same address`() {
    #expect(NoProxy("10.0.0.0/8").covers("::ffff:10.9.8.7", 80))
    #expect(NoProxy("::ffff:10.9.8.7").covers("10.9.8.7", 80))
    // A zone is no part of the address.
    #expect(NoProxy("fe80::/10").covers("fe80::1%eth0", 80))
  }
}
