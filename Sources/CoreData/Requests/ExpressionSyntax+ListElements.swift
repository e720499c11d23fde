// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The members of a list that stands in a predicate.

import CoreDataFoundation
import Foundation

extension ExpressionSyntax {
    /// The members when this is a list, written out or given as a constant; nil when it is something else.
    var listElements: [ExpressionSyntax]? {
        switch self {
        case .aggregate(let elements): elements
        case .constant(let value?): Self.members(of: value)?.map { ExpressionSyntax.constant($0) }
        default: nil
        }
    }

    private static func members(of value: Any) -> [Any]? {
        // Foundation's classes first: a subclass with storage of its own bridges to an empty Swift collection.
        switch value {
        case let value as NSArray where Swift.type(of: value as Any) is AnyClass:
            (0..<value.count).map { value.object(at: $0) }
        case let value as NSSet where Swift.type(of: value as Any) is AnyClass: value.allObjects
        case let value as NSOrderedSet: value.array
        case let value as [Any]: value
        case let value as Set<AnyHashable>: value.map(\.base)
        default: nil
        }
    }
}
