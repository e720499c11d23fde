// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Values of objects for display: cells, and the sizes of relationships.

public import CoreData
import Foundation

extension BrowsedStore {
    /// The value of an attribute.
    ///
    /// Call it on the queue of the object's context.
    /// - Returns: `Cell.missing` for large data with a missing file.
    /// - Throws: errors of SQLite while looking for such a file.
    public func cell(_ object: NSManagedObject, _ attribute: NSAttributeDescription) throws -> Cell {
        let value = object.value(forKey: attribute.name)
        guard value == nil, attribute.allowsExternalBinaryDataStorage, !object.objectID.isTemporaryID,
            let file = try opened.missingFile(of: attribute.name, in: object)
        else { return Cell(value, of: attribute) }
        return .missing(file: file)
    }

    /// The numbers of members of to-many relationships in the store, without reading the members.
    ///
    /// Call it on the context's queue.
    /// - Returns: numbers by object and relationship; empty for in-memory stores, where objects count their own
    ///   members.
    /// - Complexity: one statement.
    public func memberCounts(
        of relationships: [String], entity: NSEntityDescription, ids: [NSManagedObjectID]
    ) throws -> [NSManagedObjectID: [String: Int]] {
        guard !ids.isEmpty else { return [:] }
        var counts = MemberCounts(relationships.map { "\($0).@count" }, of: entity, type: type)
        try counts.read(ids, in: context)
        var result: [NSManagedObjectID: [String: Int]] = [:]
        for id in ids {
            for name in relationships {
                guard case .integer(let count)? = counts.cell("\(name).@count", of: id) else { continue }
                result[id, default: [:]][name] = Int(count)
            }
        }
        return result
    }
}
