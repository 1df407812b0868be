import Foundation
import ReactiveTesting
import ActionCable
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Rails' ActionCable on Puma: `Tests/Interop/actioncable/run.sh` starts it and runs these.
enum Rails {
  static let address = ProcessInfo.processInfo.environment["INTEROP_CABLE"]
  static let secure = ProcessInfo.processInfo.environment["INTEROP_CABLE_SECURE"] ?? ""
  static let authority = ProcessInfo.processInfo.environment["INTEROP_CABLE_AUTHORITY"] ?? ""

  /// The answer of a control request; see config.ru.
  @discardableResult
  static func control(_ path: String) async throws -> JSONValue {
    let url = try #require(URL(string: "http://\(address ?? "")/\(path)"))
    let (data, _) = try await URLSession.shared.data(from: url)
    return try JSONValue(parsing: String(decoding: data, as: UTF8.self))
  }
}

/// The elements of an observable from now on, read one by one.
struct ElementQueue<Element: Sendable> {
  private var iterator: AsyncStream<Element>.Iterator
  private let bag = DisposeBag()

  init(_ observable: Observable<Element>) {
    let (stream, continuation) = AsyncStream.makeStream(of: Element.self)
    iterator = stream.makeAsyncIterator()
    observable.subscribe(onNext: { continuation.yield($0) }).disposed(by: bag)
  }

  /// The next element that matches; earlier elements are skipped.
  mutating func next(where isMeant: (Element) -> Bool = { _ in true }) async throws -> Element {
    while let element = await iterator.next() {
      if isMeant(element) { return element }
      try Task.checkCancellation()
    }
    throw CancellationError()
  }
}

extension JSONValue {
  /// The integers of an array.
  var integers: [Int] {
    if case .array(let values) = self { values.compactMap(\.integer) } else { [] }
  }
}
