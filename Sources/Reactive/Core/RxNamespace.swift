#if FullFoundation
import Foundation
#endif

/// The namespace of reactive extensions, `.rx`.
///
/// The members of `extension Reactive where Base: SomeType` are available as `someValue.rx`.
@dynamicMemberLookup public struct Reactive<Base> {
  /// The extended value.
  public let base: Base

  /// Creates the namespace of `base`.
  public init(_ base: Base) { self.base = base }

  /// A binder that sets the property at `keyPath` on the main actor.
  ///
  /// It holds `base` weakly: `name.bind(to: label.rx.text)`.
  public subscript<Property>(dynamicMember keyPath: ReferenceWritableKeyPath<Base, Property>)
    -> Binder<Property> where Base: AnyObject
  {
    // Immutable, and used on the main actor only.
    nonisolated(unsafe) let keyPath = keyPath
    return Binder(base) { $0[keyPath: keyPath] = $1 }
  }
}

/// A type with reactive extensions; a conformance needs no members of its own.
public protocol ReactiveCompatible {
  /// The extended type.
  associatedtype ReactiveBase

  /// The namespace of the type.
  static var rx: Reactive<ReactiveBase>.Type { get set }

  /// The namespace of the value.
  var rx: Reactive<ReactiveBase> { get set }
}

extension ReactiveCompatible {
  /// The namespace of the type.
  public static var rx: Reactive<Self>.Type {
    get { Reactive<Self>.self }
    // The setter allows settable properties in extensions: these change the base, not the
    // namespace.
    set {}
  }

  /// The namespace of the value.
  public var rx: Reactive<Self> {
    get { Reactive(self) }
    // For the reason given above.
    set {}
  }
}

#if FullFoundation
extension NSObject: ReactiveCompatible {}
#endif

/// Another name of `Observable`, for files that import another `Observable`, like Observation's.
public typealias RxObservable = Observable
