import TestSupport
import Testing

@testable import Sockets

@Suite("Hosts without a proxy", .workerPool) struct NoProxyTests {
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
  func `an entry of no_proxy covers a host and its subdomains`(
    list: String, host: String, isCovered: Bool
  ) {
    #expect(NoProxy(list).covers(host, 80) == isCovered)
  }

  @Test(arguments: ["", "example.com", "10.0.0.0/8"])
  func `the local machine has no proxy for any list`(list: String) {
    for host in ["localhost", "LocalHost.", "127.0.0.1", "127.200.0.9", "::1", "::ffff:127.0.0.1"] {
      #expect(NoProxy(list).covers(host, 80))
    }
    #expect(!NoProxy(list).covers("localhost.example", 80))
  }

  @Test func `an entry of no_proxy with a port applies to that port only`() {
    let list = NoProxy("example.com:81,[fd00::1]:82,10.0.0.0/8:83,*:84")
    for (host, port) in [("a.example.com", 81), ("fd00::1", 82), ("10.1.2.3", 83), ("any", 84)] {
      #expect(list.covers(host, UInt16(port)))
      #expect(!list.covers(host, 80))
    }
  }

  @Test func `an IPv4-mapped IPv6 address equals its IPv4 address`() {
    #expect(NoProxy("10.0.0.0/8").covers("::ffff:10.9.8.7", 80))
    #expect(NoProxy("::ffff:10.9.8.7").covers("10.9.8.7", 80))
    // The zone is not part of the address.
    #expect(NoProxy("fe80::/10").covers("fe80::1%eth0", 80))
  }
}
