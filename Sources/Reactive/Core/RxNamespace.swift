#if FullFoundation
import Foundation
#endif

/// The namespace of reactive extensions, `.rx`: what `extension Reactive where Base: SomeType` adds
/// is found at `someValue.rx`.
@dynamicMemberLookup public struct Reactive<Base> {
  /// What is extended.
  public let base: Base

  /// The extensions of `base`.
  public init(_ base: Base) { self.base = base }

  /// A binder that sets the property at `keyPath` on the main actor, as in
  /// `name.bind(to: label.rx.text)`; it holds `base` weakly.
  public subscript<Property>(dynamicMember keyPath: ReferenceWritableKeyPath<Base, Property>)
    -> Binder<Property> where Base: AnyObject
  {
    // Immutable, and followed on the main actor only.
    nonisolated(unsafe) let keyPath = keyPath
    return Binder(base) { $0[keyPath: keyPath] = $1 }
  }
}

/// Something with reactive extensions; a type that conforms needs nothing more.
public protocol ReactiveCompatible {
  /// What is extended.
  associatedtype ReactiveBase

  /// The extensions of the type.
  static var rx: Reactive<ReactiveBase>.Type { get set }

  /// The extensions of the value.
  var rx: Reactive<ReactiveBase> { get set }
}

extension ReactiveCompatible {
  /// The extensions of the type.
  public static var rx: Reactive<Self>.Type {
    get { Reactive<Self>.self }
    // An extension may have settable properties, which change what it extends and not the namespace.
    set {}
  }

  /// The extensions of the value.
  public var rx: Reactive<Self> {
    get { Reactive(self) }
    // As above.
    set {}
  }
}

#if FullFoundation
extension NSObject: ReactiveCompatible {}
#endif

/// An observable, for files in which `Observable` is another's, like Observation's protocol.
public typealias RxObservable = Observable
