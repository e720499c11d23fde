// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The cardinalities that a relationship may have before and after a migration, and the links that remain.

import CoreDataTestSupport
import Foundation
import Testing

@testable import CoreData

/// A relationship "bs" of A with or without an inverse "as" of B, in two versions.
struct LinkChange: Sendable, CustomTestStringConvertible {
    struct Shape: Sendable, Equatable {
        let end: RelationshipCount
        /// nil for no inverse.
        let inverse: RelationshipCount?
    }

    let before: Shape
    let after: Shape
    /// The pairs of A and B before, by number; in the order of the members.
    let pairs: [[Int]]
    /// The members of each A afterwards. Sorted by name if there is no order.
    let expected: [[String]]

    var testDescription: String { "\(before) to \(after)" }

    private static let many = [[2, 0], [1], []]
    private static let shared = [[2, 0], [1, 2], []]
    private static let single = [[2], [0], []]

    static let all: [LinkChange] = [
        // One to many, and back to the first member.
        LinkChange(Shape(end: .one, inverse: .many), Shape(end: .many, inverse: .many), single, [["b2"], ["b0"], []]),
        LinkChange(Shape(end: .one, inverse: .one), Shape(end: .many, inverse: .one), single, [["b2"], ["b0"], []]),
        LinkChange(Shape(end: .one, inverse: nil), Shape(end: .many, inverse: .one), single, [["b2"], ["b0"], []]),
        LinkChange(Shape(end: .one, inverse: nil), Shape(end: .one, inverse: .one), single, [["b2"], ["b0"], []]),
        LinkChange(Shape(end: .one, inverse: nil), Shape(end: .many, inverse: nil), single, [["b2"], ["b0"], []]),
        LinkChange(Shape(end: .one, inverse: nil), Shape(end: .ordered, inverse: .many), single, [["b2"], ["b0"], []]),
        LinkChange(Shape(end: .many, inverse: .one), Shape(end: .one, inverse: .one), many, [["b0"], ["b1"], []]),
        LinkChange(Shape(end: .ordered, inverse: .one), Shape(end: .one, inverse: .one), many, [["b2"], ["b1"], []]),
        LinkChange(Shape(end: .ordered, inverse: .one), Shape(end: .one, inverse: .many), many, [["b2"], ["b1"], []]),
        LinkChange(
            Shape(end: .many, inverse: .one), Shape(end: .many, inverse: .many), many, [["b0", "b2"], ["b1"], []]),
        LinkChange(
            Shape(end: .ordered, inverse: .one), Shape(end: .ordered, inverse: .many), many,
            [["b2", "b0"], ["b1"], []]),
        LinkChange(
            Shape(end: .ordered, inverse: .many), Shape(end: .one, inverse: .many), shared, [["b2"], ["b1"], []]),
        LinkChange(
            Shape(end: .ordered, inverse: .many), Shape(end: .ordered, inverse: .one), shared,
            [["b2", "b0"], ["b1"], []]),
        LinkChange(
            Shape(end: .many, inverse: .many), Shape(end: .ordered, inverse: .many), shared,
            [["b0", "b2"], ["b1", "b2"], []]),
        LinkChange(
            Shape(end: .ordered, inverse: .many), Shape(end: .many, inverse: .many), shared,
            [["b0", "b2"], ["b1", "b2"], []]),
        LinkChange(
            Shape(end: .many, inverse: .many), Shape(end: .many, inverse: .ordered), shared,
            [["b0", "b2"], ["b1", "b2"], []]),
        LinkChange(
            Shape(end: .many, inverse: .one), Shape(end: .ordered, inverse: .one), many, [["b0", "b2"], ["b1"], []]),
        LinkChange(
            Shape(end: .ordered, inverse: .one), Shape(end: .many, inverse: .one), many, [["b0", "b2"], ["b1"], []]),
        LinkChange(
            Shape(end: .many, inverse: nil), Shape(end: .many, inverse: .one), many, [["b0", "b2"], ["b1"], []]),
        LinkChange(
            Shape(end: .many, inverse: nil), Shape(end: .ordered, inverse: .many), many, [["b0", "b2"], ["b1"], []]),
        LinkChange(Shape(end: .one, inverse: .many), Shape(end: .one, inverse: nil), single, [["b2"], ["b0"], []]),
    ]

    private init(_ before: Shape, _ after: Shape, _ pairs: [[Int]], _ expected: [[String]]) {
        self.before = before
        self.after = after
        self.pairs = pairs
        self.expected = expected
    }

    func model(_ shape: Shape) -> NSManagedObjectModel {
        let model = NSManagedObjectModel()
        let one = model.entity("A") { $0.attribute("name", .stringAttributeType) }
        let other = model.entity("B") { $0.attribute("name", .stringAttributeType) }
        if let inverse = shape.inverse {
            one.relate("bs", shape.end, to: other, inverse: "as", inverse)
        } else {
            one.relationship("bs", shape.end, to: other)
        }
        return model
    }

    func link(_ ends: [NSManagedObject], _ members: [NSManagedObject], _ context: NSManagedObjectContext) {
        for (end, numbers) in zip(ends, pairs) where !numbers.isEmpty {
            let list = numbers.map { members[$0] }
            switch before.end {
            case .one, .requiredOne: end.setValue(list[0], forKey: "bs")
            case .many: end.setValue(Set(list), forKey: "bs")
            case .ordered: end.setValue(NSOrderedSet(array: list), forKey: "bs")
            }
        }
    }

    /// The names of the members of each A, in order, or sorted if the relationship is unordered.
    func links(_ context: NSManagedObjectContext) throws -> [[String]] {
        let ends = try context.all("A").sorted { Self.name($0) < Self.name($1) }
        return ends.map { end in
            let value = end.value(forKey: "bs")
            if let list = value as? NSOrderedSet { return list.array.map { Self.name($0 as? NSManagedObject) } }
            if let set = value as? Set<NSManagedObject> { return set.map { Self.name($0) }.sorted() }
            return value is NSManagedObject ? [Self.name(value as? NSManagedObject)] : []
        }
    }

    private static func name(_ object: NSManagedObject?) -> String { object?.value(forKey: "name") as? String ?? "" }
}
