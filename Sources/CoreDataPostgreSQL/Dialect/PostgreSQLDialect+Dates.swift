// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Parts of dates in SQL: local time by a table of offsets, then arithmetic with days. Aggregates-10.

package import CoreData
import Foundation

extension PostgreSQLDialect {
    /// A number that is equal for dates with the same part, and less for an earlier period or a lesser component.
    ///
    /// A date outside of the table is a division by zero, after which the query is answered in memory.
    package func partition(_ date: SQLText, by part: DatePart) throws -> SQLText {
        guard part.calendar.identifier == .gregorian || part.calendar.identifier == .iso8601 else {
            throw NotTranslatable(reason: "dates of the calendar '\(part.calendar.identifier)'")
        }
        let needsHours = part.isPeriod && (part.unit == .hour || part.unit == .minute)
        let zone = ZoneOffsets(part.calendar.timeZone, wholeHours: needsHours)
        let local = LocalTime(date, zone)
        let number = part.isPeriod ? try local.period(part) : try local.component(part)
        return """
            CASE WHEN \(date) IS NULL THEN NULL \
            WHEN \(date) >= \(value: .date(zone.start)) AND \(date) < \(value: .date(zone.end)) THEN (\(number))::bigint \
            ELSE 1 / (EXTRACT(EPOCH FROM \(date)) * 0)::bigint END
            """
    }
}

/// The local time of a date, in seconds since the reference date.
private struct LocalTime {
    private let seconds: SQLText
    private let offset: SQLText

    init(_ date: SQLText, _ zone: ZoneOffsets) {
        // Whole seconds: no period and no offset has a fraction.
        seconds = "FLOOR(EXTRACT(EPOCH FROM \(date)) - 978307200)::bigint"
        if zone.transitions.isEmpty {
            offset = SQLText(raw: String(zone.offsets[0]))
        } else {
            let offsets = ColumnValue.list(zone.offsets.map { .integer(Int64($0)) })
            let transitions = ColumnValue.list(zone.transitions.map { .date($0) })
            offset = "(\(value: offsets)::bigint[])[width_bucket(\(date), \(value: transitions)::timestamptz[]) + 1]"
        }
    }

    private var local: SQLText { "(\(seconds) + \(offset))" }
    private var dayNumber: SQLText { "FLOOR(\(local) / 86400.0)::bigint" }
    private var day: SQLText { "(DATE '2001-01-01' + \(dayNumber)::int)" }

    func period(_ part: DatePart) throws -> SQLText {
        switch part.unit {
        case .year: "EXTRACT(YEAR FROM \(day))"
        case .quarter: "EXTRACT(YEAR FROM \(day)) * 4 + EXTRACT(QUARTER FROM \(day))"
        case .month: "EXTRACT(YEAR FROM \(day)) * 12 + EXTRACT(MONTH FROM \(day))"
        // The first day, number 0, is a Monday; weekdays begin with 1 for Sunday.
        case .weekOfYear: "FLOOR((\(dayNumber) + \(raw: String(2 - part.calendar.firstWeekday))) / 7.0)"
        case .day: dayNumber
        // The instant, not the local time, which is repeated when clocks are put back.
        case .hour: "FLOOR(\(local) / 3600.0) * 3600 - \(offset)"
        case .minute: "FLOOR(\(local) / 60.0) * 60 - \(offset)"
        case .yearForWeekOfYear, .dayOfYear, .weekday: throw NotTranslatable(reason: "such a period")
        }
    }

    func component(_ part: DatePart) throws -> SQLText {
        switch part.unit {
        case .year: return "EXTRACT(YEAR FROM \(day))"
        case .quarter: return "EXTRACT(QUARTER FROM \(day))"
        case .month: return "EXTRACT(MONTH FROM \(day))"
        case .day: return "EXTRACT(DAY FROM \(day))"
        case .dayOfYear: return "EXTRACT(DOY FROM \(day))"
        case .weekday: return "EXTRACT(DOW FROM \(day)) + 1"
        case .hour: return "FLOOR((\(local) - \(dayNumber) * 86400) / 3600.0)"
        case .minute: return "FLOOR((\(local) - FLOOR(\(local) / 3600.0) * 3600) / 60.0)"
        case .weekOfYear, .yearForWeekOfYear:
            guard part.calendar.firstWeekday == 2, part.calendar.minimumDaysInFirstWeek == 4 else {
                throw NotTranslatable(reason: "numbers of weeks other than those of ISO 8601")
            }
            return part.unit == .weekOfYear ? "EXTRACT(WEEK FROM \(day))" : "EXTRACT(ISOYEAR FROM \(day))"
        }
    }
}
