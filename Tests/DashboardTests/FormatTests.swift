import TestSupport
import Testing

@testable import dashboard

@Suite("Figures for people", .workerPool)
struct FormatTests {
  @Test(arguments: [
    (0, "0 %"), (0.314, "31 %"), (1, "100 %"), (-1, "0 %"), (1e300, "999 %"), (.nan, "0 %"),
  ])
  func `shows shares in percent`(share: Double, text: String) {
    #expect(Format.percent(share) == text)
  }

  @Test(arguments: [
    (0, "0 B"), (999, "999 B"), (1_000, "1.0 KiB"), (1_536, "1.5 KiB"), (102_400, "100 KiB"),
    (1e9, "954 MiB"), (0x1p64, "16.0 EiB"), (1e300, "512 EiB"), (-5, "0 B"), (.nan, "0 B"),
    (.infinity, "512 EiB"),
  ])
  func `shows bytes in at most eight characters`(count: Double, text: String) {
    #expect(Format.bytes(count) == text)
    #expect(text.count <= 8)
  }

  @Test(arguments: [(0, "00:00"), (65, "01:05"), (3_599, "59:59"), (36_000, "10:00:00")])
  func `Format shows seconds as a clock`(seconds: Int, text: String) {
    #expect(Format.clock(seconds) == text)
  }

  @Test func `Format.printable removes characters that move the cursor or take two columns`() {
    #expect(Format.printable("Grüße, Ёж\u{1B}[2J\n") == "Grüße, Ёж·[2J·")
    #expect(Format.printable("日本\u{301}🎉\u{7F}\u{AD}") == "······")
  }

  @Test func `Format.count uses the singular for one`() {
    #expect(Format.count(0, "frame") == "0 frames")
    #expect(Format.count(1, "frame") == "1 frame")
  }
}
