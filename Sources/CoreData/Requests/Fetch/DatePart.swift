// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A part of dates by which results are grouped: its year, quarter, month, week or day in a calendar. Aggregates-8.

import Foundation

/// Either the period of a date, as the first instant of it, or the number of a component of the date.
package struct DatePart: Hashable, Codable, Sendable {
    package enum Unit: String, Hashable, Codable, CaseIterable, Sendable {
        case year, quarter, month, weekOfYear, day, hour, minute, yearForWeekOfYear, dayOfYear, weekday

        package init?(_ component: Calendar.Component) {
            guard let unit = Self.allCases.first(where: { $0.component == component }) else { return nil }
            self = unit
        }

        package var component: Calendar.Component {
            switch self {
            case .year: .year
            case .quarter: .quarter
            case .month: .month
            case .weekOfYear: .weekOfYear
            case .day: .day
            case .hour: .hour
            case .minute: .minute
            case .yearForWeekOfYear: .yearForWeekOfYear
            case .dayOfYear: .dayOfYear
            case .weekday: .weekday
            }
        }
    }

    package let unit: Unit
    /// Whether the value is the beginning of a period, and not a number.
    package let isPeriod: Bool
    /// With its time zone. It does not follow the settings of the system.
    package let calendar: Calendar

    package init(_ unit: Unit, isPeriod: Bool, in calendar: Calendar) {
        self.unit = unit
        self.isPeriod = isPeriod
        var fixed = Calendar(identifier: calendar.identifier)
        fixed.timeZone = TimeZone(identifier: calendar.timeZone.identifier) ?? calendar.timeZone
        fixed.firstWeekday = calendar.firstWeekday
        fixed.minimumDaysInFirstWeek = calendar.minimumDaysInFirstWeek
        self.calendar = fixed
    }

    /// A `Date` for a period, otherwise an `Int`.
    package func value(of date: Date) -> Any { isPeriod ? start(of: date) as Any : number(of: date) as Any }

    /// Whether a calendar has the unit. Quarters are three months each, so they need years of twelve months.
    package static func has(_ unit: Unit, _ calendar: Calendar) -> Bool {
        unit != .quarter || Self.calendarsOfTwelveMonths.contains(calendar.identifier)
    }

    private static let calendarsOfTwelveMonths: Set<Calendar.Identifier> = [
        .gregorian, .iso8601, .buddhist, .japanese, .republicOfChina, .islamic, .islamicCivil, .islamicTabular,
        .islamicUmmAlQura, .persian, .indian,
    ]

    fileprivate func start(of date: Date) -> Date { interval(of: date)?.start ?? calendar.startOfDay(for: date) }

    fileprivate func number(of date: Date) -> Int {
        // Foundation gives no quarter in most calendars, and on some days of the Gregorian one the next quarter.
        unit == .quarter ? monthIndex(of: date) / 3 + 1 : calendar.component(unit.component, from: date)
    }

    /// The period with a date.
    fileprivate func interval(of date: Date) -> DateInterval? {
        guard unit == .quarter else { return calendar.dateInterval(of: unit.component, for: date) }
        guard var first = calendar.dateInterval(of: .month, for: date) else { return nil }
        var last = first
        let position = monthIndex(of: date) % 3
        for _ in 0..<position {
            guard let month = calendar.dateInterval(of: .month, for: first.start - 1) else { return nil }
            first = month
        }
        for _ in position..<2 {
            guard let month = calendar.dateInterval(of: .month, for: last.end) else { return nil }
            last = month
        }
        return DateInterval(start: first.start, end: last.end)
    }

    /// 0 for the first month of a year.
    private func monthIndex(of date: Date) -> Int { calendar.component(.month, from: date) - 1 }
}

/// Computes a part of many dates. It remembers periods, because the dates of a table are in few of them.
///
/// Use a reader on one thread at a time.
package final class DatePartReader {
    private struct Period {
        let start: Double
        let end: Double
        let value: Double
    }

    private static let mostPeriods = 4_096

    package let part: DatePart
    /// In the order of time, without overlaps.
    private var periods: [Period] = []

    package init(_ part: DatePart) { self.part = part }

    /// A `Date` for a period, otherwise an `Int`.
    package func value(of date: Date) -> Any {
        let number = number(of: date.timeIntervalSinceReferenceDate)
        return part.isPeriod ? Date(timeIntervalSinceReferenceDate: number) as Any : Int(number) as Any
    }

    /// The value as a number: the seconds from the reference date to the beginning of a period, or the component.
    package func number(of instant: Double) -> Double {
        var low = 0
        var high = periods.count
        while low < high {
            let middle = (low + high) / 2
            if periods[middle].start <= instant { low = middle + 1 } else { high = middle }
        }
        if low > 0, instant < periods[low - 1].end { return periods[low - 1].value }
        let date = Date(timeIntervalSinceReferenceDate: instant)
        let value = plain(date)
        guard let period = period(around: date, value) else { return value }
        if periods.count == Self.mostPeriods {
            periods = []
            low = 0
        }
        periods.insert(period, at: low)
        return value
    }

    private func plain(_ date: Date) -> Double {
        part.isPeriod ? part.start(of: date).timeIntervalSinceReferenceDate : Double(part.number(of: date))
    }

    /// nil if the calendar gives other values in the period, as it does where a time zone skips or repeats a day.
    private func period(around date: Date, _ value: Double) -> Period? {
        guard let interval = part.interval(of: date),
            interval.start <= date, date < interval.end, interval.duration > 1,
            plain(interval.start) == value, plain(interval.end - 1) == value,
            part.isPeriod ? plain(interval.end) != value : plain(interval.start + interval.duration / 2) == value
        else { return nil }
        return Period(
            start: interval.start.timeIntervalSinceReferenceDate, end: interval.end.timeIntervalSinceReferenceDate,
            value: value)
    }
}
