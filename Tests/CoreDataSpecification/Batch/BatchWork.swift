// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Executes batch requests for the suites of this folder, and reads the stored values afterwards.

import CoreData
import CoreDataTestSupport
import Foundation
import Testing

extension NSManagedObjectContext {
    func insertedIDs(_ request: NSBatchInsertRequest) throws -> [NSManagedObjectID] {
        try answer(to: request, \.resultType, .objectIDs)
    }

    func insertedCount(_ request: NSBatchInsertRequest) throws -> Int {
        try answer(to: request, \.resultType, .count)
    }

    func updatedIDs(_ request: NSBatchUpdateRequest) throws -> [NSManagedObjectID] {
        try answer(to: request, \.resultType, .updatedObjectIDsResultType)
    }

    func updatedCount(_ request: NSBatchUpdateRequest) throws -> Int {
        try answer(to: request, \.resultType, .updatedObjectsCountResultType)
    }

    func deletedIDs(_ request: NSBatchDeleteRequest) throws -> [NSManagedObjectID] {
        try answer(to: request, \.resultType, .resultTypeObjectIDs)
    }

    func deletedCount(_ request: NSBatchDeleteRequest) throws -> Int {
        try answer(to: request, \.resultType, .resultTypeCount)
    }

    /// The result of a batch request, converted to a result type.
    private func answer<Request: NSPersistentStoreRequest, ResultType, Answer>(
        to request: Request, _ key: ReferenceWritableKeyPath<Request, ResultType>, _ type: ResultType
    ) throws -> Answer {
        request[keyPath: key] = type
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
