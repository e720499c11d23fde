// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Recognizes the expressions of inferred mapping models, which need no evaluation.

import CoreDataFoundation
import Foundation

/// An attribute that is copied from slot to slot, because its expression reads an attribute of the same type.
final class PlainCopy {
    private let source: EntityLayout
    private let destination: EntityLayout
    private let from: Int
    private let to: Int
    /// The values that the type can hold; nil for a type that is not a narrow integer.
    private let range: ClosedRange<Int64>?
    private let keepsDefault: Bool

    /// nil for any other expression or type.
    init?(_ expression: ExpressionSyntax, _ name: String, _ source: EntityLayout, _ destination: EntityLayout) {
        guard let key = expression.sourceKey, let from = source.slotNumbers[key],
            let to = destination.slotNumbers[name], let old = source.attribute(from),
            let new = destination.attribute(to), old.attributeType == new.attributeType,
            source[from].kind == destination[to].kind, !(new is NSDerivedAttributeDescription)
        else { return nil }
        switch source[from].kind {
        case .integer, .boolean, .float, .double, .date, .string: break
        case .box, .reference, .toMany, .fetched: return nil
        }
        switch new.attributeType {
        case .integer16AttributeType: range = Int64(Int16.min)...Int64(Int16.max)
        case .integer32AttributeType: range = Int64(Int32.min)...Int64(Int32.max)
        default: range = nil
        }
        (self.source, self.destination, self.from, self.to) = (source, destination, from, to)
        keepsDefault = !new.isOptional && new.defaultValue != nil
    }

    /// - Returns: false, without an effect, for objects of other entities and numbers out of range.
    func run(_ object: NSManagedObject, _ copy: NSManagedObject) -> Bool {
        guard object.table.layout === source, copy.table.layout === destination else { return false }
        let row = object.realized
        if row.isNull(from) {
            if keepsDefault { return true }
        } else if let range, !range.contains(row.integer(from)) {
            return false
        }
        copy.take(to, from: row, from)
        return true
    }
}

extension ExpressionSyntax {
    /// The key of `FUNCTION($source, "valueForKey:", "key")` and `$source.key`; nil for any other expression.
    var sourceKey: String? {
        switch self {
        case .keyPathOn(.variable(NSMigrationSourceObjectKey), let path): path.contains(".") ? nil : path
        case .function(PredicateFunctions.call, let arguments):
            if arguments.count == 3, case .variable(NSMigrationSourceObjectKey) = arguments[0],
                case .constant(let selector as String) = arguments[1], selector == "valueForKey:",
                case .constant(let key as String) = arguments[2], !key.contains(".")
            {
                key
            } else {
                nil
            }
        default: nil
        }
    }

    /// The key of the source relationship whose destinations an inferred mapping model requests from the manager; nil
    /// for any other expression.
    var followedKey: String? {
        guard case .function(PredicateFunctions.call, let arguments) = self, arguments.count == 4,
            case .variable(NSMigrationManagerKey) = arguments[0],
            case .constant(let selector as String) = arguments[1],
            selector == "destinationInstancesForSourceRelationshipNamed:sourceInstances:"
        else { return nil }
        return arguments[3].sourceKey
    }
}
