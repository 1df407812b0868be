#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension Date {
  private static let weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
  private static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]

  private static var gregorian: Calendar {
    var calendar = Calendar(identifier: .gregorian)
    // `isValidDate` uses the calendar's own zone, which is the system's unless it is set.
    calendar.timeZone = .gmt
    return calendar
  }

  /// The date in the form of RFC 9110, section 5.6.7: `Sun, 06 Nov 1994 08:49:37 GMT`.
  var httpDate: String {
    let parts = Self.gregorian.dateComponents(
      [.weekday, .day, .month, .year, .hour, .minute, .second], from: self)
    guard let weekday = parts.weekday, let day = parts.day, let month = parts.month,
      let year = parts.year, let hour = parts.hour, let minute = parts.minute,
      let second = parts.second
    else { preconditionFailure("A date of the Gregorian calendar has all of its parts.") }
    func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    return "\(Self.weekdays[weekday - 1]), \(two(day)) \(Self.months[month - 1]) \(year) "
      + "\(two(hour)):\(two(minute)):\(two(second)) GMT"
  }

  /// Parses a date in one of the three forms that RFC 9110, section 5.6.7, requires.
  ///
  /// Returns nil for any other text.
  ///
  /// - Parameter now: decides the century of the form with a two-digit year.
  init?(httpDate text: String, receivedAt now: Date) {
    // `Sun, 06 Nov 1994 08:49:37 GMT`, `Sunday, 06-Nov-94 08:49:37 GMT` (RFC 850), and
    // `Sun Nov  6 08:49:37 1994` (asctime).
    let current =
      /[A-Z][a-z]{2}, ([0-9]{2}) ([A-Z][a-z]{2}) ([0-9]{4}) ([0-9]{2}:[0-9]{2}:[0-9]{2}) GMT/
    let rfc850 =
      /[A-Z][a-z]{5,8}, ([0-9]{2})-([A-Z][a-z]{2})-([0-9]{2}) ([0-9]{2}:[0-9]{2}:[0-9]{2}) GMT/
    let asctime =
      /[A-Z][a-z]{2} ([A-Z][a-z]{2}) ([0-9]{2}| [0-9]) ([0-9]{2}:[0-9]{2}:[0-9]{2}) ([0-9]{4})/
    let fields: (day: Substring, month: Substring, year: Substring, time: Substring)
    if let match = text.wholeMatch(of: current) ?? text.wholeMatch(of: rfc850) {
      fields = (match.1, match.2, match.3, match.4)
    } else if let match = text.wholeMatch(of: asctime) {
      fields = (match.2.drop { $0 == " " }, match.1, match.4, match.3)
    } else {
      return nil
    }
    let time = fields.time.split(separator: ":").compactMap { Int($0) }
    guard let month = Self.months.firstIndex(where: { $0 == fields.month }),
      var year = Int(fields.year), let day = Int(fields.day)
    else { return nil }
    let calendar = Self.gregorian
    if fields.year.count == 2 {
      // RFC 9110: a year more than 50 years in the future is the last past year with these digits.
      let thisYear = calendar.component(.year, from: now)
      year += thisYear - thisYear % 100
      if year > thisYear + 50 { year -= 100 }
    }
    let parts = DateComponents(
      calendar: calendar, year: year, month: month + 1, day: day, hour: time[0], minute: time[1],
      second: time[2])
    guard parts.isValidDate, let date = parts.date else { return nil }
    self = date
  }
}
