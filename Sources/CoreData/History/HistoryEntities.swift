// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The entities that requests for transactions and changes name.

import Foundation

enum HistoryEntities {
    static let transactionName = "Transaction"
    static let changeName = "Change"

    static let transactionKeys: Set<String> = [
        "author", "contextName", "bundleID", "processID", "timestamp", "token", "transactionNumber", "storeID",
    ]
    static let changeKeys: Set<String> = ["changeID", "changeType", "changedEntity", "changedObjectID"]

    /// A new description each time: descriptions are mutable.
    static func transaction() -> NSEntityDescription {
        entity(
            transactionName,
            [
                ("author", .stringAttributeType), ("bundleID", .stringAttributeType),
                ("contextName", .stringAttributeType), ("processID", .stringAttributeType),
                ("timestamp", .dateAttributeType), ("token", .transformableAttributeType),
                ("transactionNumber", .integer64AttributeType), ("storeID", .stringAttributeType),
            ])
    }

    static func change() -> NSEntityDescription {
        entity(
            changeName,
            [
                ("changeID", .integer64AttributeType), ("changeType", .integer16AttributeType),
                ("changedEntity", .transformableAttributeType), ("changedObjectID", .transformableAttributeType),
            ])
    }

    static func request(for entity: NSEntityDescription) -> NSFetchRequest<any NSFetchRequestResult> {
        let request = NSFetchRequest<any NSFetchRequestResult>()
        request.entity = entity
        return request
    }

    private static func entity(_ name: String, _ attributes: [(String, NSAttributeType)]) -> NSEntityDescription {
        let entity = NSEntityDescription()
        entity.name = name
        entity.properties = attributes.map { name, type in
            let attribute = NSAttributeDescription()
            attribute.name = name
            attribute.attributeType = type
            return attribute
        }
        return entity
    }
}
