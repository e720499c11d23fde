// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Converts between values and the texts that users read and type.

import CoreData
import CoreDataToolKit
import Foundation

/// The texts of fields.
enum ValueText {
    /// The value of a text.
    ///
    /// - Throws: `FieldFailure` with the expected form.
    static func value(of text: String, for attribute: NSAttributeDescription) throws -> Any {
        let trimmed = text.trimmingCharacters(in: .whitespacesAndNewlines)
        switch attribute.attributeType {
        case .stringAttributeType: return text
        case .binaryDataAttributeType: return try ValueSource.data(of: text, for: attribute)
        case .integer16AttributeType: return try integer(trimmed, Int64(Int16.min)...Int64(Int16.max))
        case .integer32AttributeType: return try integer(trimmed, Int64(Int32.min)...Int64(Int32.max))
        case .integer64AttributeType: return try integer(trimmed, Int64.min...Int64.max)
        case .doubleAttributeType, .floatAttributeType:
            guard let number = Double(trimmed), number.isFinite else {
                throw FieldFailure("A number, such as 12.5, is needed here.")
            }
            return attribute.attributeType == .floatAttributeType
                ? NSNumber(value: Float(number)) : NSNumber(value: number)
        case .decimalAttributeType:
            guard trimmed.wholeMatch(of: #/[+-]?\d+(\.\d+)?([eE][+-]?\d+)?/#) != nil,
                let number = Decimal(string: trimmed, locale: Locale(identifier: "en_US_POSIX"))
            else { throw FieldFailure("A number, such as 12.50, is needed here.") }
            return NSDecimalNumber(decimal: number)
        case .booleanAttributeType:
            switch trimmed.lowercased() {
            case "true", "yes", "1": return NSNumber(value: true)
            case "false", "no", "0": return NSNumber(value: false)
            default: throw FieldFailure("Write true or false.")
            }
        case .dateAttributeType:
            guard let date = LocalTime.date(of: trimmed) else {
                throw FieldFailure("A date, such as 2024-05-01 14:30:00, is needed here.")
            }
            return date
        case .UUIDAttributeType:
            guard let uuid = UUID(uuidString: trimmed) else {
                throw FieldFailure("A UUID, such as 7A4F6E0C-3B5D-4C8E-9F1A-2B3C4D5E6F70, is needed here.")
            }
            return uuid
        case .URIAttributeType:
            guard !trimmed.isEmpty, let url = URL(string: trimmed) else { throw FieldFailure("A URL is needed here.") }
            return url
        default: throw FieldFailure("\(attribute.name) cannot be edited.")
        }
    }

    private static func integer(_ text: String, _ range: ClosedRange<Int64>) throws -> NSNumber {
        guard let number = Int64(text), range.contains(number) else {
            throw FieldFailure("A whole number from \(range.lowerBound) to \(range.upperBound) is needed here.")
        }
        return NSNumber(value: number)
    }

    /// The text that a field shows and that `value(of:for:)` reads; nil for no value.
    static func text(of cell: Cell) -> String? {
        switch cell {
        case .null: nil
        case .date(let date): LocalTime.text(of: date)
        default: cell.tableText
        }
    }
}

/// Dates in the time zone of the machine.
enum LocalTime {
    /// "2024-05-01 14:30:00", with fractions of a second where there are any.
    static func text(of date: Date) -> String {
        let seconds = date.timeIntervalSinceReferenceDate
        guard seconds.isFinite, abs(seconds) < 2.5e11 else { return Cell.text(of: date) }
        let whole = Date(timeIntervalSinceReferenceDate: seconds.rounded(.down))
        // Not rounded up to the next second, which may be on another day.
        let rest = min(Int(((seconds - seconds.rounded(.down)) * 1000).rounded()), 999)
        let parts = calendar.dateComponents([.era, .year, .month, .day, .hour, .minute, .second], from: whole)
        func two(_ number: Int?) -> String { (number ?? 0) < 10 ? "0\(number ?? 0)" : "\(number ?? 0)" }
        var year = "\(parts.year ?? 0)"
        if year.count < 4 { year = String(repeating: "0", count: 4 - year.count) + year }
        var text =
            "\(year)-\(two(parts.month))-\(two(parts.day)) \(two(parts.hour)):\(two(parts.minute)):\(two(parts.second))"
        if rest != 0 { text += "." + String("\(1000 + rest)".dropFirst()) }
        return parts.era == 0 ? text + " BC" : text
    }

    /// - Returns: nil for text in no known form. A time zone may follow; otherwise it is the machine's.
    static func date(of text: String) -> Date? {
        let pattern =
            #/(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(\.\d{1,6})?)?\s*(Z|[+-]\d{2}:?\d{2})?)?/#
        guard let match = text.wholeMatch(of: pattern) else { return nil }
        func number(_ part: Substring?) -> Int { part.flatMap { Int($0) } ?? 0 }
        let parts = match.output
        var components = DateComponents()
        (components.year, components.month, components.day) = (number(parts.1), number(parts.2), number(parts.3))
        (components.hour, components.minute, components.second) = (number(parts.4), number(parts.5), number(parts.6))
        var used = calendar
        if let zone = parts.8 {
            let digits = zone.filter(\.isNumber)
            let seconds = (Int(digits.prefix(2)) ?? 0) * 3600 + (Int(digits.suffix(2)) ?? 0) * 60
            guard let zone = TimeZone(secondsFromGMT: zone.hasPrefix("-") ? -seconds : seconds) else { return nil }
            used.timeZone = zone
        }
        guard number(parts.4) < 24, number(parts.5) < 60, number(parts.6) < 60, components.isValidDate(in: used),
            let date = used.date(from: components)
        else { return nil }
        return date.addingTimeInterval(parts.7.flatMap { Double("0\($0)") } ?? 0)
    }

    private static let calendar = {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .current
        return calendar
    }()
}
