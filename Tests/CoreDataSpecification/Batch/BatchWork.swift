// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Executes batch requests for the suites of this folder, and reads what is in the store afterwards.

import CoreData
import CoreDataTestSupport
import Foundation
import Testing

extension NSManagedObjectContext {
    func insertedIDs(_ request: NSBatchInsertRequest) throws -> [NSManagedObjectID] {
        request.resultType = .objectIDs
        let result = try #require(try execute(request) as? NSBatchInsertResult)
        return try #require(result.result as? [NSManagedObjectID])
    }

    func insertedCount(_ request: NSBatchInsertRequest) throws -> Int {
        request.resultType = .count
        let result = try #require(try execute(request) as? NSBatchInsertResult)
        return try #require(result.result as? Int)
    }

    func updatedIDs(_ request: NSBatchUpdateRequest) throws -> [NSManagedObjectID] {
        request.resultType = .updatedObjectIDsResultType
        let result = try #require(try execute(request) as? NSBatchUpdateResult)
        return try #require(result.result as? [NSManagedObjectID])
    }

    func updatedCount(_ request: NSBatchUpdateRequest) throws -> Int {
        request.resultType = .updatedObjectsCountResultType
        let result = try #require(try execute(request) as? NSBatchUpdateResult)
        return try #require(result.result as? Int)
    }

    func deletedIDs(_ request: NSBatchDeleteRequest) throws -> [NSManagedObjectID] {
        request.resultType = .resultTypeObjectIDs
        let result = try #require(try execute(request) as? NSBatchDeleteResult)
        return try #require(result.result as? [NSManagedObjectID])
    }

    func deletedCount(_ request: NSBatchDeleteRequest) throws -> Int {
        request.resultType = .resultTypeCount
        let result = try #require(try execute(request) as? NSBatchDeleteResult)
        return try #require(result.result as? Int)
    }
}

extension NSBatchUpdateRequest {
    convenience init(_ entity: String, where format: String? = nil, _ values: [AnyHashable: Any]) {
        self.init(entityName: entity)
        predicate = format.map { NSPredicate(format: $0) }
        propertiesToUpdate = values
    }
}

extension NSBatchDeleteRequest {
    convenience init(_ entity: String, where format: String? = nil) {
        let fetch = NSFetchRequest<any NSFetchRequestResult>(entityName: entity)
        fetch.predicate = format.map { NSPredicate(format: $0) }
        self.init(fetchRequest: fetch)
    }
}

extension Stack {
    /// The values of an attribute in the store, in the order of their texts.
    func values(_ key: String, of entity: String) throws -> [String] {
        try stored(NSFetchRequest<NSManagedObject>(entityName: entity)) { object in
            object.value(forKey: key).map { "\($0)" } ?? "nil"
        }.sorted()
    }

    func count(_ entity: String) throws -> Int {
        let context = newContext()
        return try context.count(for: NSFetchRequest<NSManagedObject>(entityName: entity))
    }
}

/// The code of the error that a body throws; nil for none.
func code(of body: () throws -> Void) -> Int? {
    do {
        try body()
        return nil
    } catch {
        return (error as NSError).code
    }
}

/// The message of the error that a body throws.
func message(of body: () throws -> Void) -> String {
    do {
        try body()
        return ""
    } catch {
        return (error as NSError).localizedDescription
    }
}
