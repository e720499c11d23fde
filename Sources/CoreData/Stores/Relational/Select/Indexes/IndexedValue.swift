// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The forms in which an index keeps values inside of values, and the ranges of them that a condition asks for.

import CoreDataFoundation
import Foundation

/// One entry of an index of values. StructuredValues-8.
///
/// Entries are in the order of SQLite's storage classes: numbers, texts, bytes. Equal values have equal entries, and a
/// less number, text or date has no greater entry.
package enum IndexedValue {
    case number(Double)
    /// The bytes of a text, as comparisons without options read them.
    case text(String)
    /// A text without case and diacritics.
    case folded(String)
    /// Seconds since the reference date.
    case date(Double)
    /// A value of which the index knows only that it is there.
    case unplaced

    /// A longer text is unplaced: its bytes would be in the file twice.
    static let mostBytes = 500
    private static let folding = StringFolding([.caseInsensitive, .diacriticInsensitive])

    /// The entries of the value at the end of a path. A list has those of its members; a value that is not nil has at
    /// least one.
    static func entries(of value: Any?) -> [IndexedValue] {
        guard let value = presentValue(value) else { return [] }
        guard let members = listMembers(of: value) else { return plainEntries(of: value) }
        let entries = members.flatMap { Self.entries(of: $0) }
        return entries.isEmpty ? [.unplaced] : entries
    }

    private static func plainEntries(of value: Any) -> [IndexedValue] {
        switch ComparableValue(value) {
        case .null: return []
        case .string(let text):
            guard text.utf8.count <= mostBytes else { return [.unplaced] }
            let folded = folding.folded(text)
            // Not ==, which takes composed and decomposed letters as equal.
            return folded.utf8.elementsEqual(text.utf8) ? [.text(text)] : [.text(text), .folded(folded)]
        case .date(let date): return [.date(date.timeIntervalSinceReferenceDate)]
        case let value: return [double(value).map { .number($0) } ?? .unplaced]
        }
    }

    /// The nearest double of a number; nil for NaN and other values.
    private static func double(_ value: ComparableValue) -> Double? {
        let number: Double? =
            switch value {
            case .integer(let number): Double(number)
            case .unsigned(let number): Double(number)
            case .double(let number): number
            case .decimal(let number): number.isNaN ? nil : ExactDecimal.double(number)
            default: nil
            }
        return number.flatMap { $0.isNaN ? nil : $0 }
    }

    // MARK: In a column

    var columnValue: ColumnValue {
        switch self {
        case .number(let number): .double(number)
        case .text(let text): .text(text)
        case .folded(let text): .bytes(Data([1]) + Data(text.utf8))
        case .date(let seconds): .bytes(Data([2]) + Self.ordered(seconds))
        case .unplaced: .bytes(Data())
        }
    }

    /// The bytes of a number, in the order of numbers.
    private static func ordered(_ number: Double) -> Data {
        let bits = (number == 0 ? 0 : number).bitPattern
        let ordered = bits >> 63 == 1 ? ~bits : bits | 1 << 63
        return withUnsafeBytes(of: ordered.bigEndian) { Data($0) }
    }

    // MARK: Ranges

    /// A part of the entries, with its least one.
    package struct Range {
        let least: ColumnValue
        let end: ColumnValue
        let includesEnd: Bool

        static let numbers = Range(least: .double(-.infinity), end: .text(""), includesEnd: false)
        static let texts = Range(least: .text(""), end: .bytes(Data()), includesEnd: false)
        static let folded = Range(least: .bytes(Data([1])), end: .bytes(Data([2])), includesEnd: false)
        static let dates = Range(least: .bytes(Data([2])), end: .bytes(Data([3])), includesEnd: false)

        func from(_ least: ColumnValue) -> Range { Range(least: least, end: end, includesEnd: includesEnd) }
        func to(_ end: ColumnValue) -> Range { Range(least: least, end: end, includesEnd: true) }
        func before(_ end: ColumnValue) -> Range { Range(least: least, end: end, includesEnd: false) }
    }

    /// The entries that a value equal to a constant has; nil for a constant that the index does not place.
    ///
    /// - Parameter ignoring: whether case or diacritics are ignored.
    static func equal(to constant: Any, ignoring: Bool) -> [ColumnValue]? {
        switch ComparableValue(constant) {
        case .string(let text):
            if !ignoring { return [.text(text)] }
            let folded = folding.folded(text)
            return [.text(folded), IndexedValue.folded(folded).columnValue]
        case .date(let date): return near(date.timeIntervalSinceReferenceDate).map { IndexedValue.date($0).columnValue }
        case let value: return double(value).map { near($0).map { .double($0) } }
        }
    }

    /// The entries of the values from one constant to another, both included; nil for constants that the index does
    /// not place, or of two kinds.
    ///
    /// - Parameter ignoring: whether case or diacritics are ignored. There is no range of texts then, because texts are
    ///   in the order of their bytes.
    static func range(from least: Any?, to greatest: Any?, ignoring: Bool) -> Range? {
        let (least, greatest) = (least.map { ComparableValue($0) }, greatest.map { ComparableValue($0) })
        var range: Range
        switch least ?? greatest {
        case .string: if ignoring { return nil } else { range = .texts }
        case .date: range = .dates
        case let value?: if double(value) != nil { range = .numbers } else { return nil }
        case nil: return nil
        }
        func bound(_ value: ComparableValue, _ round: (Double) -> Double) -> ColumnValue? {
            switch (value, range.least) {
            case (.string(let text), .text): .text(text)
            case (.date(let date), .bytes): IndexedValue.date(round(date.timeIntervalSinceReferenceDate)).columnValue
            case (_, .double): double(value).map { .double(round($0)) }
            default: nil
            }
        }
        if let least {
            guard let bound = bound(least, \.nextDown) else { return nil }
            range = range.from(bound)
        }
        if let greatest {
            guard let bound = bound(greatest, \.nextUp) else { return nil }
            range = range.to(bound)
        }
        return range
    }

    /// The entries of values that begin with a text. Numbers are compared as texts, so they may be among them.
    static func ranges(beginningWith prefix: String) -> [Range] {
        // The next letter of a text may join the last one of a prefix, and change its folding.
        let isASCII = prefix.utf8.allSatisfy { $0 < 0x80 }
        let folded = folding.folded(isASCII ? prefix : String(prefix.dropLast()))
        let end = TextRange.successor(of: folded)
        let texts = Range.texts.from(.text(folded))
        let foldedTexts = Range.folded.from(IndexedValue.folded(folded).columnValue)
        return [
            .numbers, end.map { texts.before(.text($0)) } ?? texts,
            end.map { foldedTexts.before(IndexedValue.folded($0).columnValue) } ?? foldedTexts,
        ]
    }

    /// A number may have been rounded to a neighbour.
    private static func near(_ number: Double) -> [Double] { [number.nextDown, number, number.nextUp] }
}
