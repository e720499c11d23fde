// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Makes values of attributes that keep the rules of the model.

import CoreData
import Foundation

/// Values for one attribute.
struct ValueMaker {
    private static let attempts = 60
    /// 2025-01-01: fixed, so that a seed gives the same dates in each year.
    private static let today = 757_382_400.0
    private static let day = 86_400.0

    private let entity: String
    private let attribute: NSAttributeDescription
    private let rules: ValueRules

    init(_ attribute: NSAttributeDescription, of entity: String) {
        self.attribute = attribute
        self.entity = entity
        rules = ValueRules(attribute)
    }

    /// A value that keeps the rules.
    ///
    /// - Parameter sequence: a number that makes the value differ from that of other numbers, where the type has enough
    ///   values; nil for any value.
    /// - Returns: nil for a type without values that a fixture could make.
    /// - Throws: `FixtureError.unknownRule`.
    func value(_ numbers: inout FixtureNumbers, sequence: Int? = nil) throws -> Any? {
        var broken: String?
        for attempt in 0..<Self.attempts {
            guard let value = try candidate(&numbers, sequence.map { $0 + attempt * 1_000_003 }, attempt) else {
                return nil
            }
            guard let rule = rules.broken(by: value) else { return value }
            broken = "\(rule)"
        }
        throw unknown(broken ?? "")
    }

    private func unknown(_ rule: String) -> FixtureError {
        .unknownRule(entity: entity, attribute: attribute.name, rule: rule)
    }

    private func candidate(_ numbers: inout FixtureNumbers, _ sequence: Int?, _ attempt: Int) throws -> Any? {
        if let choices = rules.choices, !choices.isEmpty {
            return sequence.map { choices[abs($0) % choices.count] } ?? numbers.one(of: choices)
        }
        switch attribute.attributeType {
        case .integer16AttributeType: return integer(&numbers, sequence, Int64(Int16.min)...Int64(Int16.max))
        case .integer32AttributeType: return integer(&numbers, sequence, Int64(Int32.min)...Int64(Int32.max))
        case .integer64AttributeType: return integer(&numbers, sequence, -(1 << 53)...(1 << 53))
        case .booleanAttributeType: return sequence.map { $0 % 2 == 0 } ?? numbers.chance(0.5)
        case .doubleAttributeType: return fraction(&numbers, sequence)
        case .floatAttributeType: return Float(fraction(&numbers, sequence))
        case .decimalAttributeType:
            let cents = Int64((fraction(&numbers, sequence) * 100).rounded())
            return NSDecimalNumber(decimal: Decimal(cents) / 100)
        case .stringAttributeType: return try text(&numbers, sequence, attempt)
        case .dateAttributeType: return date(&numbers, sequence)
        case .UUIDAttributeType: return uuid(&numbers)
        case .URIAttributeType: return URL(string: BelievableText.url(&numbers) + (sequence.map { "/\($0)" } ?? ""))
        case .binaryDataAttributeType:
            return Data((0..<(16 + numbers.below(48))).map { _ in UInt8(numbers.below(256)) })
        case .transformableAttributeType: return try transformable(&numbers)
        case .compositeAttributeType: return try composite(&numbers)
        default: return nil
        }
    }

    // MARK: Numbers

    private func integer(_ numbers: inout FixtureNumbers, _ sequence: Int?, _ type: ClosedRange<Int64>) -> NSNumber {
        let usual = usualRange
        let limits = limits(usual, type)
        if let sequence {
            let span = UInt64(bitPattern: limits.upperBound - limits.lowerBound) + 1
            return NSNumber(value: limits.lowerBound + Int64(UInt64(sequence.magnitude) % span))
        }
        return NSNumber(value: numbers.within(limits))
    }

    /// The usual values within the limits; values next to a limit if no usual one is.
    private func limits(_ usual: ClosedRange<Int64>, _ type: ClosedRange<Int64>) -> ClosedRange<Int64> {
        func whole(_ number: Double?, _ rule: FloatingPointRoundingRule) -> Int64? {
            number.flatMap { Int64(exactly: $0.rounded(rule)) }
        }
        let least = max(whole(rules.least, .up) ?? type.lowerBound, type.lowerBound)
        let most = max(least, min(whole(rules.most, .down) ?? type.upperBound, type.upperBound))
        let (low, high) = (max(least, usual.lowerBound), min(most, usual.upperBound))
        if low <= high {
            return rules.least == nil && rules.most == nil ? low...high : max(low, least)...min(most, max(high, low))
        }
        return usual.upperBound < least ? least...min(most, least + 1000) : max(least, most - 1000)...most
    }

    private var usualRange: ClosedRange<Int64> {
        let name = attribute.name.lowercased()
        func has(_ parts: String...) -> Bool { parts.contains { name.contains($0) } }
        if has("age") && !has("page", "image", "message", "package", "average") { return 1...99 }
        if has("year") { return 1950...2025 }
        if has("month") { return 1...12 }
        if has("rating", "stars") { return 1...5 }
        if has("percent", "progress") { return 0...100 }
        if has("page") { return 20...900 }
        if has("price", "amount", "cost", "total", "salary") { return 1...5_000 }
        if has("count", "quantity", "stock") { return 0...100 }
        if has("order", "position", "index", "rank", "priority") { return 0...50 }
        return 0...30_000
    }

    private func fraction(_ numbers: inout FixtureNumbers, _ sequence: Int?) -> Double {
        let name = attribute.name.lowercased()
        var usual = 0.0...1000.0
        if name.contains("lat") { usual = -85.0...85.0 }
        if name.contains("lon") || name.contains("lng") { usual = -180.0...180.0 }
        if name.contains("rating") { usual = 0.0...5.0 }
        if name.contains("price") || name.contains("cost") { usual = 1.0...500.0 }
        if name.contains("percent") || name.contains("progress") || name.contains("ratio") { usual = 0.0...1.0 }
        let least = rules.least ?? min(usual.lowerBound, rules.most ?? usual.lowerBound)
        let most = max(least, rules.most ?? max(usual.upperBound, least))
        // Two digits: prices and measures look so, and binary and decimal types keep them.
        if let sequence {
            let steps = max(1, Int64(min((most - least) * 100, 1e15)))
            return ((least * 100).rounded(.up) + Double(Int64(sequence.magnitude) % steps)) / 100
        }
        let value = ((least + (most - least) * numbers.fraction()) * 100).rounded() / 100
        return min(max(value, least), most)
    }

    private func date(_ numbers: inout FixtureNumbers, _ sequence: Int?) -> Date {
        let name = attribute.name.lowercased()
        let years = name.contains("birth") || name.contains("born") ? 60.0 : 5.0
        let most = rules.most ?? max(Self.today, (rules.least ?? Self.today) + 365 * Self.day)
        let least = rules.least ?? most - years * 365 * Self.day
        let seconds = min(max((least + max(0, most - least) * numbers.fraction()).rounded(), least), most)
        return Date(timeIntervalSinceReferenceDate: seconds + (sequence.map { Double($0 % 1000) / 1000 } ?? 0))
    }

    private func uuid(_ numbers: inout FixtureNumbers) -> UUID {
        let (high, low) = (numbers.next(), numbers.next())
        func byte(_ word: UInt64, _ index: Int) -> UInt8 { UInt8(truncatingIfNeeded: word >> UInt64(8 * index)) }
        return UUID(
            uuid: (
                byte(high, 0), byte(high, 1), byte(high, 2), byte(high, 3), byte(high, 4), byte(high, 5),
                byte(high, 6) & 0x0F | 0x40, byte(high, 7), byte(low, 0) & 0x3F | 0x80, byte(low, 1), byte(low, 2),
                byte(low, 3), byte(low, 4), byte(low, 5), byte(low, 6), byte(low, 7)
            ))
    }

    // MARK: Texts

    private func text(_ numbers: inout FixtureNumbers, _ sequence: Int?, _ attempt: Int) throws -> String {
        if let pattern = rules.pattern {
            guard let plan = PatternText(pattern) else { throw unknown("MATCHES \"\(pattern)\"") }
            // Longer texts with each attempt, for a least length.
            return plan.text(&numbers, more: 3 + attempt)
        }
        var text = BelievableText.text(for: attribute.name, &numbers)
        let least = max(rules.leastLength ?? 1, 1)
        let most = max(rules.mostLength ?? .max, 0)
        while Self.length(text) < least { text += " " + BelievableText.word(&numbers) }
        guard let sequence else { return Self.prefix(text, most) }
        let number = String(sequence, radix: most < 8 ? 36 : 10)
        if text.contains("@") { return Self.prefix("\(number).\(text)", most) }
        return Self.prefix(text, max(0, most == .max ? .max : most - number.count - 1))
            + (most > number.count ? " " : "") + Self.prefix(number, most)
    }

    /// The unit of `length` in rules.
    private static func length(_ text: String) -> Int { text.utf16.count }

    private static func prefix(_ text: String, _ most: Int) -> String {
        var text = text
        while length(text) > most { text.removeLast() }
        return text
    }

    // MARK: Objects and elements

    private func transformable(_ numbers: inout FixtureNumbers) throws -> Any? {
        switch attribute.attributeValueClassName {
        case nil, "NSArray", "NSObject":
            return [BelievableText.word(&numbers), BelievableText.word(&numbers)] as NSArray
        case "NSString", "String": return BelievableText.word(&numbers) as NSString
        case "NSDictionary": return [BelievableText.word(&numbers): numbers.below(100)] as NSDictionary
        case "NSNumber": return NSNumber(value: numbers.below(100))
        case "NSData": return NSData(data: Data([1, 2, 3]))
        case let name?:
            if attribute.isOptional { return nil }
            throw unknown("with the class \(name)")
        }
    }

    private func composite(_ numbers: inout FixtureNumbers) throws -> Any? {
        guard let composite = attribute as? NSCompositeAttributeDescription else { return nil }
        var values: [String: Any] = [:]
        for element in composite.elements {
            values[element.name] = try ValueMaker(element, of: "\(entity).\(attribute.name)").value(&numbers)
        }
        return values
    }
}
