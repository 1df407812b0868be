/// Delivers events to all observers.
///
/// It stores up to `capacity` elements, which a new observer receives first. Elements sent during
/// that replay are queued, except those sent in the last replayed one, which are nested.
package final class Subject<Element> {
  private final class Member {
    let observer: Observer<Element>
    let disposal = Disposal()
    var missed: [Element]
    var isOnLast = false
    var isCatchingUp: Bool
    var waitingEnd: Fault??

    init(_ observer: Observer<Element>, _ missed: [Element]) {
      self.observer = observer
      self.missed = missed
      isCatchingUp = !missed.isEmpty
    }

    func next(_ element: Element) {
      if isCatchingUp, !(isOnLast && missed.isEmpty) { return missed.append(element) }
      if !disposal.isDisposed { observer.next(element) }
    }

    func end(_ fault: Fault?) {
      if isCatchingUp, !(isOnLast && missed.isEmpty) { return waitingEnd = .some(fault) }
      if !disposal.isDisposed { observer.end(fault) }
    }

    func catchUp() {
      while !missed.isEmpty {
        let element = missed.removeFirst()
        isOnLast = missed.isEmpty
        if !disposal.isDisposed { observer.next(element) }
        isOnLast = false
      }
      isCatchingUp = false
      if let waitingEnd { end(waitingEnd) }
    }
  }

  private let capacity: Int
  private let endsWithLast: Bool
  private let replaysAfterEnd: Bool
  private var recent: [Element]
  private var members: [Member] = []
  private var ending: Fault??

  /// A publish or replay subject.
  package init(replaying capacity: Int = 0, _ recent: [Element] = [], replaysAfterEnd: Bool = true)
  {
    self.capacity = capacity
    self.recent = recent
    self.replaysAfterEnd = replaysAfterEnd
    endsWithLast = false
  }

  /// An async subject: delivers its last element when it completes.
  package init(asyncOf: Element.Type) {
    capacity = 1
    recent = []
    replaysAfterEnd = true
    endsWithLast = true
  }

  package var isStopped: Bool { ending != nil }

  package func next(_ element: Element) {
    if isStopped { return }
    recent = capacity == 0 ? [] : (recent + [element]).suffix(capacity)
    if endsWithLast { return }
    for member in members { member.next(element) }
  }

  package func end(_ fault: Fault?) {
    if isStopped { return }
    ending = .some(fault)
    let members = self.members
    self.members = []
    if endsWithLast {
      if fault != nil { recent = [] }
      for element in recent { for member in members { member.next(element) } }
    }
    for member in members { member.end(fault) }
  }

  package var stream: Stream<Element> {
    Stream { [self] observer in
      if let ending {
        for element in replaysAfterEnd ? recent : [] { observer.next(element) }
        observer.end(ending)
        return Disposal()
      }
      let member = Member(observer, endsWithLast ? [] : recent)
      members.append(member)
      member.disposal.add(Disposal { [self] in members.removeAll { $0 === member } })
      member.catchUp()
      return member.disposal
    }
  }
}
