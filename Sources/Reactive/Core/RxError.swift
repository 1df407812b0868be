/// The errors that the operators themselves emit or throw.
public enum RxError: Error {
  /// The cause is not known.
  case unknown
  /// `object` was used after it was disposed of: make a new one.
  case disposed(object: any AnyObject & Sendable)
  /// A count or a time does not fit its type: use smaller values.
  case overflow
  /// The index lies past the last element: the sequence was shorter than expected.
  case argumentOutOfRange
  /// The sequence ended without an element where one was needed, as in `asSingle()`.
  case noElements
  /// The sequence had a second element where only one was allowed, as in `asSingle()`.
  case moreThanOneElement
  /// No element arrived in time.
  case timeout
}

extension RxError: CustomDebugStringConvertible {
  /// A sentence that describes the error, with RxSwift's wording.
  public var debugDescription: String {
    switch self {
    case .unknown: "Unknown error occurred."
    case .disposed(let object): "Object `\(object)` was already disposed."
    case .overflow: "Arithmetic overflow occurred."
    case .argumentOutOfRange: "Argument out of range."
    case .noElements: "Sequence doesn't contain any elements."
    case .moreThanOneElement: "Sequence contains more than one element."
    case .timeout: "Sequence timeout."
    }
  }
}
