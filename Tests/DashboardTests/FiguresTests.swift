import Foundation
import ReactiveTesting
import TestSupport
import Testing

@testable import dashboard

@Suite("Figures and samples", .workerPool)
struct FiguresTests {
  @Test func `figures are encoded as JSON and decoded unchanged`() throws {
    let figures = Figures(cpu: 0.5, memoryUsed: 1, memoryTotal: .max, load: [1, 2, 3])
    let sample = Sample(sequence: 7, figures: figures)
    #expect(try Sample(json: sample.message.data) == sample)
  }

  @Test func `samples are numbered from zero, and the number wraps around`() {
    let first = Sample.following(nil, Figures())
    #expect(first.sequence == 0)
    #expect(Sample.following(first, Figures()).sequence == 1)
    let last = Sample(sequence: .max, figures: Figures())
    #expect(Sample.following(last, Figures()).sequence == 0)
  }

  @Test func `figures have a share of memory even when the total is zero`() {
    #expect(Figures(memoryUsed: 1, memoryTotal: 4).memory == 0.25)
    #expect(Figures(memoryUsed: 1, memoryTotal: 0).memory == 0)
    #expect(Figures(memoryUsed: 5, memoryTotal: 4).memory == 1)
  }

  @Test func `the figures server numbers the samples of each connection from zero`() async throws {
    let server = try FiguresServer()
    for _ in 0..<2 {
      let socket = WebSocket.connect(to: server.url)
      var sequence: UInt32 = 0
      for try await message in socket.messages.take(2).values {
        #expect(try Sample(json: message.data).sequence == sequence)
        sequence += 1
      }
      #expect(sequence == 2)
    }
  }
}
