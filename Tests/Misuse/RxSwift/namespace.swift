// 5: compiles
// 6: compiles
//
// The namespace `.rx` is extended though the module is called like it.
import Reactive

@MainActor class Label { var text: String? }

extension Label: ReactiveCompatible {}

extension Reactive where Base: Label {
  @MainActor var uppercased: Binder<String> { Binder(base) { $0.text = $1.uppercased() } }
}

@MainActor func bind(_ title: Driver<String>, to label: Label) -> [any Disposable] {
  [title.drive(label.rx.uppercased), title.drive(label.rx.text)]
}
