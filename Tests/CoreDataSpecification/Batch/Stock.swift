// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The sample for unique values in batch requests: items in boxes, with a unique number and defaults.

import CoreData
import CoreDataTestSupport
import Foundation

/// Items have a unique code, a count and a note with defaults, and belong to boxes.
enum StockModel {
    static func make() -> NSManagedObjectModel {
        let item = NSEntityDescription("Item")
        item.attribute("code", .integer64AttributeType, optional: false, default: 0)
        item.attribute("count", .integer64AttributeType, default: 1)
        item.attribute("note", .stringAttributeType, default: "none")
        item.uniquenessConstraints = [["code"]]
        let box = NSEntityDescription("Box")
        box.relate("items", .many, to: item, inverse: "box", .one)
        return NSManagedObjectModel(item, box)
    }

    /// A stack with one item in a box: its code is 1, its count 5, its note "old".
    static func stack(_ kind: StoreKind) throws -> Stack {
        let stack = try Stack(kind, make())
        let item = stack.insert("Item")
        item.setValuesForKeys(["code": 1, "count": 5, "note": "old", "box": stack.insert("Box")])
        try stack.context.save()
        return stack
    }

    /// The stored items, as lines such as "1 5 old boxed".
    static func items(_ stack: Stack) throws -> [String] {
        try stack.stored(NSFetchRequest<NSManagedObject>(entityName: "Item")) { item in
            ["code", "count", "note"].map { item.value(forKey: $0).map { "\($0)" } ?? "nil" }.joined(separator: " ")
                + (item.value(forKey: "box") == nil ? "" : " boxed")
        }.sorted()
    }
}
