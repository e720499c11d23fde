// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Makes values for an attribute, by its type and within its rules.

import CoreDataFoundation
import Foundation

@testable import CoreData

/// A row of values, each different from the one before.
struct SampleValues {
    private var count: Int

    init(from first: Int = 7_000) { count = first }

    /// - Returns: nil for derived and transient attributes, which need no value.
    mutating func next(_ attribute: NSAttributeDescription) -> Any? {
        guard !attribute.isTransient, !(attribute is NSDerivedAttributeDescription) else { return nil }
        for _ in 0..<4 {
            count += 1
            for candidate in candidates(attribute) where Self.satisfies(candidate, attribute) { return candidate }
        }
        return attribute.defaultValue
    }

    private static func satisfies(_ value: Any, _ attribute: NSAttributeDescription) -> Bool {
        attribute.validationPredicates.allSatisfy { $0.evaluate(with: value) }
    }

    private func candidates(_ attribute: NSAttributeDescription) -> [Any] {
        let limits = Self.numbers(in: attribute.validationPredicates)
        switch attribute.attributeType {
        case .integer16AttributeType, .integer32AttributeType, .integer64AttributeType:
            // Within 16 bits.
            let numbers = [Double(count % 32_000)] + limits.flatMap { limit in near(limit) }
            return numbers.map { NSNumber(value: Int64($0)) }
        case .booleanAttributeType: return [NSNumber(value: count % 2 == 0)]
        case .doubleAttributeType: return ([Double(count) + 0.1] + limits).map { NSNumber(value: $0) }
        case .floatAttributeType: return ([Double(count) + 0.25] + limits).map { NSNumber(value: Float($0)) }
        case .decimalAttributeType:
            return ([Double(count) + 0.5] + limits).map { NSDecimalNumber(value: $0) }
        case .dateAttributeType:
            return ([Double(count) * 1000 + 0.125] + limits).map { Date(timeIntervalSinceReferenceDate: $0) }
        case .stringAttributeType: return strings(limits)
        case .URIAttributeType: return [URL(string: "https://example.com/\(count)?q=a%20b")!]
        case .UUIDAttributeType:
            return [UUID(uuidString: "6F9619FF-8B86-4D01-B42D-" + String(format: "%012X", count))!]
        case .binaryDataAttributeType:
            return [Data([1, 2, 0, UInt8(truncatingIfNeeded: count), UInt8(truncatingIfNeeded: count >> 8)])]
        case .transformableAttributeType: return transformables(attribute)
        case .compositeAttributeType: return composite(attribute)
        default: return []
        }
    }

    private func near(_ limit: Double) -> [Double] {
        let distance = Double(count % 7)
        return [limit + distance, limit - distance, limit]
    }

    private func strings(_ limits: [Double]) -> [String] {
        let text = "Ärger 😀 \(count)"
        let letters = String(decoding: String(count).utf8.map { $0 + 49 }, as: UTF8.self)
        let cut = limits.filter { $0 > 0 && $0 < 100 }.map { String(letters.suffix(Int($0))) }
        return [text, letters, "a\(count)@example.com", "title \(count)"] + cut
            + limits.map { String(repeating: "a", count: Int($0)) }
    }

    private func transformables(_ attribute: NSAttributeDescription) -> [Any] {
        let known = [
            nil, "", "NSSecureUnarchiveFromData", "NSSecureUnarchiveFromDataTransformer", "NSKeyedUnarchiveFromData",
        ]
        guard known.contains(attribute.valueTransformerName) else {
            return attribute.attributeValueClassName == "NSURL"
                ? [URL(string: "https://example.com/\(count)")!] : [Data("bytes \(count)".utf8)]
        }
        switch attribute.attributeValueClassName {
        case "[Int64]": return [[Int64(count), Int64(count + 1)]]
        case "[String]": return [["a", "\(count)"]]
        case "NSURL": return [URL(string: "https://example.com/\(count)")!]
        case nil, "NSObject", "", "NSString", "NSArray": return [["\(count)"]]
        case "NSDictionary": return [["key": "\(count)"]]
        default: return []
        }
    }

    private func composite(_ attribute: NSAttributeDescription) -> [Any] {
        guard let composite = attribute as? NSCompositeAttributeDescription else { return [] }
        var values = SampleValues(from: count)
        var result: [String: Any] = [:]
        for element in composite.elements { result[element.name] = values.next(element) }
        return [result]
    }

    /// The constants that predicates compare with.
    private static func numbers(in predicates: [NSPredicate]) -> [Double] {
        predicates.flatMap { predicate in
            predicate.syntax.description.split { !"0123456789.-".contains($0) }.compactMap { Double($0) }
        }
    }
}

/// Replaces the transformers of the applications that the fixtures come from: it takes the bytes as they are.
final class PlainBytesTransformer: ValueTransformer, @unchecked Sendable {
    override class func allowsReverseTransformation() -> Bool { true }
    override func transformedValue(_ value: Any?) -> Any? { value as? Data }
    override func reverseTransformedValue(_ value: Any?) -> Any? { value as? Data }

    /// Registers one for each name that a model asks for.
    static func standIn(for model: NSManagedObjectModel) {
        for attribute in model.entities.flatMap(\.attributesByName.values) {
            guard let name = attribute.valueTransformerName, !name.isEmpty,
                ValueTransformer(forName: NSValueTransformerName(name)) == nil
            else { continue }
            let transformer: ValueTransformer =
                attribute.attributeValueClassName == "NSURL" ? PlainURLTransformer() : PlainBytesTransformer()
            ValueTransformer.setValueTransformer(transformer, forName: NSValueTransformerName(name))
        }
    }
}

/// Replaces the transformer of an attribute with URLs.
private final class PlainURLTransformer: ValueTransformer, @unchecked Sendable {
    override class func allowsReverseTransformation() -> Bool { true }
    override func transformedValue(_ value: Any?) -> Any? { (value as? URL).map { Data($0.absoluteString.utf8) } }
    override func reverseTransformedValue(_ value: Any?) -> Any? {
        (value as? Data).flatMap { URL(string: String(decoding: $0, as: UTF8.self)) }
    }
}
