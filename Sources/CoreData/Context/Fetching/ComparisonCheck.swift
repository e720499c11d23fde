// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Refuses comparisons that cannot hold for any object, because of what they compare.

import CoreDataFoundation
import Foundation

/// Looks at comparisons of a key path with a value; whatever is calculated is left to those who calculate it.
///
/// Numbers and text are not told apart: both databases and predicates compare them by rules of their own.
struct ComparisonCheck {
    let model: ModelLayout

    /// A class of values that only values of the same class can be compared with.
    private enum Family: String {
        case plain = "numbers or text"
        case date = "dates"
        case uuid = "UUIDs"
        case data = "data"
        case url = "URLs"
    }

    /// - Parameters:
    ///   - path: what the key path leads to.
    ///   - text: the key path as it was written.
    ///   - layout: the entity that it begins at.
    /// - Throws: 134060 for a value of another class, an object where a value is, a value where an object is, and
    ///   for many values where one is compared.
    func check(
        _ path: ResolvedKeyPath, _ text: String, from layout: EntityLayout, with other: ExpressionSyntax,
        _ comparison: ComparisonSyntax
    ) throws {
        guard path.tail == .value, let last = path.steps.last, last.element == nil,
            case .constant(let value?) = other, let family = Self.family(of: value)
        else { return }
        let name = "\(layout.name).\(text)"
        if comparison.modifier == .direct, Self.isOfOne(comparison.operation),
            path.steps.contains(where: { kind($0) == .toMany })
        {
            throw CoreDataError.general(
                "'\(name)' leads through a to-many relationship to many values, which are compared with one: write ANY, ALL or "
                    + "NONE before it, or compare '\(text).@count'.")
        }
        guard comparison.operation.rawValue <= ComparisonSyntax.Operator.notEqualTo.rawValue else { return }
        switch kind(last) {
        case .reference, .toMany:
            let destination = model.layouts[Int(model.layouts[last.layoutIndex][last.slot].destination)]
            throw CoreDataError.general(
                "'\(name)' holds objects of '\(destination.name)', which are compared with a value (\(type(of: value))): compare "
                    + "with an object, an id or nil, or name a property: \(destination.propertyList).")
        default:
            guard let own = Self.family(of: attribute(last)), own != family else { return }
            throw CoreDataError.general(
                "'\(name)' holds \(own.rawValue): they cannot be compared with a \(type(of: value)).")
        }
    }

    private func kind(_ step: PathStep) -> SlotKind { model.layouts[step.layoutIndex][step.slot].kind }

    private func attribute(_ step: PathStep) -> NSAttributeDescription? {
        model.layouts[step.layoutIndex].properties[step.slot] as? NSAttributeDescription
    }

    /// Operators that have one value on their left side.
    private static func isOfOne(_ operation: ComparisonSyntax.Operator) -> Bool {
        switch operation {
        case .contains, .in, .custom: false
        default: true
        }
    }

    /// nil for classes that are compared in other ways: objects, ids, collections.
    private static func family(of value: Any) -> Family? {
        switch value {
        case is String, is NSString: .plain
        case is Date, is NSDate: .date
        case is UUID, is NSUUID: .uuid
        case is Data, is NSData: .data
        case is URL, is NSURL: .url
        default: AttributeValues.number(value) == nil ? nil : .plain
        }
    }

    /// nil for attributes that may hold anything.
    private static func family(of attribute: NSAttributeDescription?) -> Family? {
        switch attribute?.attributeType {
        case .integer16AttributeType?, .integer32AttributeType?, .integer64AttributeType?, .decimalAttributeType?,
            .doubleAttributeType?, .floatAttributeType?, .booleanAttributeType?, .stringAttributeType?:
            .plain
        case .dateAttributeType?: .date
        case .UUIDAttributeType?: .uuid
        case .binaryDataAttributeType?: .data
        // The text of a URL may stand for it.
        default: nil
        }
    }
}
