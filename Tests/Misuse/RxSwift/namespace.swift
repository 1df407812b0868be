// 5: compiles
// 6: compiles
//
// The namespace type `Reactive` can be extended although the module has the same name.
import Reactive

@MainActor class Label { var text: String? }

extension Label: ReactiveCompatible {}

extension Reactive where Base: Label {
  @MainActor var uppercased: Binder<String> { Binder(base) { $0.text = $1.uppercased() } }
}

@MainActor func bind(_ title: Driver<String>, to label: Label) -> [any Disposable] {
  [title.drive(label.rx.uppercased), title.drive(label.rx.text)]
}
