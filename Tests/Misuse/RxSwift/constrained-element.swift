// 5: compiles
// 6: warns 2: capture of non-Sendable type 'Self.Element.Type'
//
// A conformance of an element may belong to an actor; `& SendableMetatype` says that it does not.
import Reactive

protocol OptionalType {
  associatedtype Wrapped
  var optional: Wrapped? { get }
}

extension ObservableType where Element: OptionalType {
  func filterNil() -> Observable<Element.Wrapped> { compactMap { $0.optional } }
}

extension ObservableType where Element: Collection {
  func counts() -> Observable<Int> { map { $0.count } }
}

extension ObservableType where Element: Collection & SendableMetatype {
  func firsts() -> Observable<Element.Element> { compactMap { $0.first } }
}
