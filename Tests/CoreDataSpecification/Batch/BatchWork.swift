// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Executes batch requests for the suites of this folder, and reads what is in the store afterwards.

import CoreData
import CoreDataTestSupport
import Foundation
import Testing

extension NSManagedObjectContext {
    func insertedIDs(_ request: NSBatchInsertRequest) throws -> [NSManagedObjectID] {
        request.resultType = .objectIDs
        return try answer(to: request)
    }

    func insertedCount(_ request: NSBatchInsertRequest) throws -> Int {
        request.resultType = .count
        return try answer(to: request)
    }

    func updatedIDs(_ request: NSBatchUpdateRequest) throws -> [NSManagedObjectID] {
        request.resultType = .updatedObjectIDsResultType
        return try answer(to: request)
    }

    func updatedCount(_ request: NSBatchUpdateRequest) throws -> Int {
        request.resultType = .updatedObjectsCountResultType
        return try answer(to: request)
    }

    func deletedIDs(_ request: NSBatchDeleteRequest) throws -> [NSManagedObjectID] {
        request.resultType = .resultTypeObjectIDs
        return try answer(to: request)
    }

    func deletedCount(_ request: NSBatchDeleteRequest) throws -> Int {
        request.resultType = .resultTypeCount
        return try answer(to: request)
    }

    /// The result of a batch request, in the form that its `resultType` promises.
    private func answer<Answer>(to request: NSPersistentStoreRequest) throws -> Answer {
        let result = try execute(request)
        let value =
            (result as? NSBatchInsertResult)?.result ?? (result as? NSBatchUpdateResult)?.result
            ?? (result as? NSBatchDeleteResult)?.result
        return try #require(value as? Answer)
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
