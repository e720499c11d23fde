// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Writes dates as ISO 8601 in UTC and reads them, for all commands.

package import Foundation

/// The texts of dates, by their seconds since 2001. All commands write dates with it, so one date has one text.
///
/// A text never denotes a later second: a date just before midnight stays on its day.
package enum DateText {
    /// The years 1 to 9999. `Date.distantPast` is the first second of year 1 in the calendar of Foundation, which is
    /// the Julian one before 1582.
    package static let range = Double(-63_114_076_800)..<Double(252_423_993_600)
    private static let style = Date.ISO8601FormatStyle(includingFractionalSeconds: false)

    // MARK: Writing

    /// The text that `seconds(_:)` reads as the same number, with 0, 3, 6, 9 or 12 digits of a second.
    ///
    /// - Returns: nil for a date without such a text, and for years without four digits.
    package static func exact(_ seconds: Double) -> String? {
        guard seconds.isFinite, range.contains(seconds) else { return nil }
        let whole = seconds.rounded(.down)
        let base = wholeSeconds(whole)
        let fraction = seconds - whole
        if fraction == 0 { return base + "Z" }
        for digits in [3, 6, 9, 12] {
            guard let decimals = decimals(fraction, digits) else { continue }
            let text = "\(base).\(decimals)Z"
            if Self.seconds(text) == seconds { return text }
        }
        return nil
    }

    /// The text for users: the exact one if there is one, else cut to nanoseconds. Years beyond 1 to 9999 are shown
    /// as seconds since 2001.
    package static func text(_ seconds: Double) -> String {
        guard seconds.isFinite, range.contains(seconds) else { return "\(seconds) s since 2001" }
        return exact(seconds) ?? cut(seconds, 9)
    }

    /// A text with six digits of a second: the order of such texts is that of the dates.
    package static func sortable(_ seconds: Double) -> String {
        guard seconds.isFinite, range.contains(seconds) else { return "\(seconds) s since 2001" }
        return cut(seconds, 6)
    }

    private static func cut(_ seconds: Double, _ digits: Int) -> String {
        let whole = seconds.rounded(.down)
        let decimals = decimals(seconds - whole, digits) ?? String(repeating: "9", count: digits)
        return "\(wholeSeconds(whole)).\(decimals)Z"
    }

    /// The nearest number of so many digits; nil if that is the next second.
    private static func decimals(_ fraction: Double, _ digits: Int) -> String? {
        let scale = pow(10, Double(digits))
        let number = (fraction * scale).rounded()
        guard number < scale else { return nil }
        let text = String(Int64(number))
        return String(repeating: "0", count: digits - text.count) + text
    }

    /// "2024-05-01T12:30:00" for a number without a fraction, within the range.
    private static func wholeSeconds(_ seconds: Double) -> String {
        // Foundation's formatter takes microseconds, and only dates in the Julian calendar need it.
        guard seconds >= firstPlainSecond else {
            return String(Date(timeIntervalSinceReferenceDate: seconds).formatted(style).dropLast())
        }
        let second = Int64(seconds)
        let days = (second - firstPlainSecond64) / 86_400
        let rest = Int((second - firstPlainSecond64) % 86_400)
        let (year, month, day) = date(daysSince1600: Int(days))
        func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        return "\(year)-\(two(month))-\(two(day))T\(two(rest / 3600)):\(two(rest / 60 % 60)):\(two(rest % 60))"
    }

    /// The beginning of 1600, with which a cycle of 400 years begins.
    private static let firstPlainSecond64: Int64 = -12_654_403_200
    private static let firstPlainSecond = Double(firstPlainSecond64)

    private static func date(daysSince1600: Int) -> (year: Int, month: Int, day: Int) {
        // 400 years have 146,097 days. The estimate of the year may be one off.
        var year = 1600 + daysSince1600 * 400 / 146_097
        if days(before: year) > daysSince1600 { year -= 1 }
        if days(before: year + 1) <= daysSince1600 { year += 1 }
        var rest = daysSince1600 - days(before: year)
        let lengths = monthLengths(year)
        var month = 0
        while rest >= lengths[month] {
            rest -= lengths[month]
            month += 1
        }
        return (year, month + 1, rest + 1)
    }

    /// The days from the beginning of 1600 to that of a later year.
    private static func days(before year: Int) -> Int {
        let years = year - 1600
        guard years > 0 else { return 0 }
        let last = years - 1
        return years * 365 + last / 4 - last / 100 + last / 400 + 1
    }

    private static func monthLengths(_ year: Int) -> [Int] {
        let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
        return [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
    }

    // MARK: Reading

    /// The date of a text that a user writes; nil for text that is no date.
    package static func date(of text: String) -> Date? {
        seconds(text).map { Date(timeIntervalSinceReferenceDate: $0) }
    }

    /// nil for text that is no date. Zones are read; without one it is UTC.
    package static func seconds(_ text: String) -> Double? {
        if let seconds = plainSeconds(text) { return seconds }
        guard
            let match = text.wholeMatch(
                of: /(\d{4}-\d\d-\d\d)(?:[T ]((?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d)(\.\d+)?(Z|[+-]\d\d:?\d\d)?)?/)
        else { return nil }
        // Foundation reads the 30th of February as a day in March.
        guard let day = try? Date("\(match.output.1)T00:00:00Z", strategy: .iso8601),
            day.formatted(style).hasPrefix(match.output.1)
        else { return nil }
        let zone = match.output.4.map(String.init) ?? "Z"
        let plain = "\(match.output.1)T\(match.output.2.map(String.init) ?? "00:00:00")\(zone)"
        guard let date = try? Date(plain, strategy: .iso8601) else { return nil }
        let fraction = match.output.3.flatMap { Double("0" + $0) } ?? 0
        return date.timeIntervalSinceReferenceDate + fraction
    }

    /// The seconds of a text such as "2024-05-01T12:30:00.25Z", as `exact(_:)` writes them; nil for any other form.
    private static func plainSeconds(_ text: String) -> Double? {
        let bytes = Array(text.utf8)
        guard bytes.count >= 20, bytes.last == UInt8(ascii: "Z") else { return nil }
        for (place, mark) in [(4, "-"), (7, "-"), (10, "T"), (13, ":"), (16, ":")] as [(Int, Unicode.Scalar)]
        where bytes[place] != UInt8(ascii: mark) { return nil }
        func number(_ range: Range<Int>) -> Int? {
            var result = 0
            for byte in bytes[range] {
                guard (48...57).contains(byte) else { return nil }
                result = result * 10 + Int(byte) - 48
            }
            return result
        }
        // Older dates are in another calendar for Foundation.
        guard let year = number(0..<4), year >= 1600, let month = number(5..<7), (1...12).contains(month),
            let day = number(8..<10), let hour = number(11..<13), hour < 24, let minute = number(14..<16), minute < 60,
            let second = number(17..<19), second < 60
        else { return nil }
        let lengths = monthLengths(year)
        guard (1...lengths[month - 1]).contains(day) else { return nil }
        var fraction = 0.0
        if bytes.count > 20 {
            guard bytes[19] == UInt8(ascii: "."), bytes.count > 21,
                bytes[20..<(bytes.count - 1)].allSatisfy({ (48...57).contains($0) }),
                let value = Double("0" + String(decoding: bytes[19..<(bytes.count - 1)], as: UTF8.self))
            else { return nil }
            fraction = value
        }
        let days = days(before: year) + lengths[..<(month - 1)].reduce(0, +) + day - 1
        return Double(firstPlainSecond64 + Int64(days * 86_400 + hour * 3600 + minute * 60 + second)) + fraction
    }
}
