#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A decoder of data, such as `JSONDecoder` or `PropertyListDecoder`.
@preconcurrency public protocol DataDecoder: Sendable {
  /// Returns the value of `type` that `data` represents.
  ///
  /// - Throws: error when `data` does not represent such a value.
  func decode<Item: Decodable>(_ type: Item.Type, from data: Data) throws -> Item
}

extension JSONDecoder: DataDecoder {}

extension PropertyListDecoder: DataDecoder {}

extension ObservableType<Data> {
  /// Emits the values of `type` that `decoder` decodes from the source's data.
  ///
  /// An error that `decoder` throws ends the result and disposes of the source.
  public func decode<Item: Decodable>(type: Item.Type, decoder: some DataDecoder)
    -> Observable<Item>
  {
    Observable<Item> { [run] down in
      run(down.with { data in down.attempt { down.next(try decoder.decode(type, from: data)) } })
    }
  }
}
