import Foundation
import Reactive
import ReactiveTesting
import TestSupport
import Testing

// View controllers, cells and delegates: classes of the main actor that bind controls.

@MainActor
class ProfileViewController: NSObject {
  let nameField = TextField()
  let nameLabel = Label()
  let greetingLabel = Label()
  let saveButton = Button()
  private(set) var saved: [String] = []
  private var tapCount = 0
  private let disposeBag = DisposeBag()

  func viewDidLoad() {
    nameField.rx.value.orEmpty
      .map { "Hello, \($0)!" }
      .bind(to: nameLabel.rx.text)
      .disposed(by: disposeBag)

    nameField.rx.value.orEmpty
      .asDriver()
      .map { !$0.isEmpty }
      .drive(saveButton.rx.isEnabled)
      .disposed(by: disposeBag)

    nameField.rx.value.orEmpty.changed
      .bind(to: greetingLabel.rx.shout)
      .disposed(by: disposeBag)

    saveButton.rx.tap
      .withLatestFrom(nameField.rx.value.orEmpty)
      .asSignal(onErrorJustReturn: "")
      .emit(onNext: { [weak self] name in
        self?.save(name)
        self?.tapCount += 1
      })
      .disposed(by: disposeBag)

    saveButton.rx.tap
      .asDriver()
      .drive(with: self) { owner, _ in owner.greetingLabel.isHidden = true }
      .disposed(by: disposeBag)
  }

  private func save(_ name: String) { saved.append(name) }
}

@MainActor
final class Cell: NSObject {
  let label = Label()
  private(set) var disposeBag = DisposeBag()

  func prepareForReuse() { disposeBag = DisposeBag() }

  func configure(_ title: Observable<String>) {
    title.map { $0 as String? }.bind(to: label.rx.text).disposed(by: disposeBag)
  }
}

protocol LocationManagerDelegate: AnyObject {
  func didUpdate(location: Int)
  func didFail(with error: any Error)
}

final class LocationManager {
  weak var delegate: (any LocationManagerDelegate)?
}

final class LocationManagerProxy: NSObject, LocationManagerDelegate {
  private let locations = PublishSubject<Int>()
  var location: Observable<Int> { locations.asObservable() }

  func didUpdate(location: Int) { locations.onNext(location) }
  func didFail(with error: any Error) { locations.onError(error) }
}

@MainActor
@Suite(.workerPool) struct ViewControllerTests {
  @Test func `controls can be bound in viewDidLoad`() {
    onTestClock { scheduler in
      let controller = ProfileViewController()
      controller.viewDidLoad()
      scheduler.scheduleAt(10) { controller.nameField.type("Ada") }
      scheduler.scheduleAt(20) { controller.saveButton.tap() }
      scheduler.start()
      #expect(controller.saveButton.isEnabled)
      #expect(controller.saved == ["Ada"])
      #expect(controller.greetingLabel.isHidden)
    }
  }

  @Test func `a view controller with bindings is released`() {
    weak var released: ProfileViewController?
    onTestClock { _ in
      let controller = ProfileViewController()
      controller.viewDidLoad()
      released = controller
    }
    #expect(released == nil)
  }

  @Test func `a reused cell replaces its dispose bag`() {
    let (first, second) = (PublishSubject<String>(), PublishSubject<String>())
    let cell = Cell()
    cell.configure(first)
    #expect(first.hasObservers)
    cell.prepareForReuse()
    cell.configure(second)
    #expect(!first.hasObservers)
    #expect(second.hasObservers)
  }

  @Test func `a delegate can send to a subject`() throws {
    let manager = LocationManager()
    let proxy = LocationManagerProxy()
    manager.delegate = proxy
    let scheduler = TestScheduler(initialClock: 0)
    let observer = scheduler.createObserver(Int.self)
    let subscription = proxy.location.subscribe(observer)
    manager.delegate?.didUpdate(location: 1)
    manager.delegate?.didFail(with: AppError.offline)
    #expect(observer.events == [.next(0, 1), .error(0, AppError.offline)])
    subscription.dispose()
  }

  @Test func `a key path of the rx namespace is a binder`() {
    onTestClock { scheduler in
      let label = Label()
      let isHidden: Binder<Bool> = label.rx.isHidden
      _ = Driver.just(true).drive(isHidden)
      scheduler.start()
    }
  }
}
