import Foundation
import Reactive

// Stand-ins for user interface controls on the main actor with properties in `.rx`.

@MainActor
class Label: NSObject {
  var text: String?
  var isHidden = false
}

@MainActor
class Button: NSObject {
  var isEnabled = true
  fileprivate let taps = PublishSubject<Void>()

  func tap() { taps.onNext(()) }
}

@MainActor
class TextField: NSObject {
  fileprivate let edits = BehaviorSubject<String?>(value: nil)
  var text: String?

  func type(_ text: String) {
    self.text = text
    edits.onNext(text)
  }
}

extension Reactive where Base: Label {
  @MainActor var shout: Binder<String> {
    Binder(base) { label, text in label.text = text.uppercased() }
  }
}

extension Reactive where Base: Button {
  @MainActor var tap: ControlEvent<Void> { ControlEvent(events: base.taps) }
}

extension Reactive where Base: TextField {
  @MainActor var value: ControlProperty<String?> {
    ControlProperty(
      values: base.edits, valueSink: Binder(base) { field, text in field.text = text })
  }
}
