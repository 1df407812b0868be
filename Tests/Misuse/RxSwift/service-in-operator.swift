// 5: compiles
// 6: warns 1: capture of 'service' with non-Sendable type 'any Service'
//
// An operator's closure runs where the element arrives: what it captures should be Sendable.
import Reactive

protocol Service {
  func search(_ query: String) -> Observable<[String]>
}

final class Search {
  let results: Driver<[String]>

  init(queries: Observable<String>, service: any Service) {
    results = queries.flatMapLatest { service.search($0) }.asDriver(onErrorJustReturn: [])
  }
}
