// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Typed access to scopes, and to the records that are or were in them.
import CoreData
import CoreDataSyncModel
import CoreDataSyncProtocol
import Foundation

/// The records of one combination of bound shapes, which all devices with equal shapes share.
struct ScopeRow {
    let object: NSManagedObject

    /// Random, so that a place of a removed scope is recognized.
    var id: String { object.value(forKey: "id") as? String ?? "" }
    /// The server's revision that the presences are of.
    var revision: Int64 {
        get { object.integer("revision") }
        nonmutating set { object.setValue(newValue, forKey: "revision") }
    }
    /// The greatest revision of the leavings that were forgotten.
    var floor: Int64 {
        get { object.integer("floor") }
        nonmutating set { object.setValue(newValue, forKey: "floor") }
    }

    func touch(_ time: Date) { object.setValue(time, forKey: "used") }

    static func existing(_ key: String, in context: NSManagedObjectContext) throws -> ScopeRow? {
        let request = NSFetchRequest<NSManagedObject>(entityName: SyncEntityName.scope)
        request.predicate = NSPredicate(format: "key == %@", key)
        return try context.fetch(request).first.map(ScopeRow.init)
    }

    static func insert(_ key: String, id: UUID, in context: NSManagedObjectContext) -> ScopeRow {
        let object = NSEntityDescription.insertNewObject(forEntityName: SyncEntityName.scope, into: context)
        object.setValue(key, forKey: "key")
        object.setValue(id.text, forKey: "id")
        object.setValue(Int64(-1), forKey: "revision")
        object.setValue(Int64(0), forKey: "floor")
        return ScopeRow(object: object)
    }

    /// The scopes that no device used since a time.
    static func unused(since time: Date, in context: NSManagedObjectContext) throws -> [ScopeRow] {
        let request = NSFetchRequest<NSManagedObject>(entityName: SyncEntityName.scope)
        request.predicate = NSPredicate(format: "used < %@", time as NSDate)
        return try context.fetch(request).map(ScopeRow.init)
    }
}

/// That a record is in a scope, or was.
struct PresenceRow {
    let object: NSManagedObject

    var name: UUID { UUID(text: object.value(forKey: "name") as? String ?? "") ?? SyncService.noName }
    /// The server's revision at which the record entered or left, or at which one that it leads to did.
    var revision: Int64 {
        get { object.integer("revision") }
        nonmutating set { object.setValue(newValue, forKey: "revision") }
    }
    var isIn: Bool {
        get { (object.value(forKey: "isIn") as? NSNumber)?.boolValue ?? false }
        nonmutating set { object.setValue(newValue, forKey: "isIn") }
    }

    static func insert(
        _ record: RecordRow, scope: String, revision: Int64, in context: NSManagedObjectContext
    ) -> PresenceRow {
        let object = NSEntityDescription.insertNewObject(forEntityName: SyncEntityName.presence, into: context)
        object.setValue(scope, forKey: "scope")
        object.setValue(record.name.text, forKey: "name")
        object.setValue(record.object, forKey: "record")
        let row = PresenceRow(object: object)
        (row.revision, row.isIn) = (revision, true)
        return row
    }

    static func request(_ predicate: NSPredicate) -> NSFetchRequest<NSManagedObject> {
        let request = NSFetchRequest<NSManagedObject>(entityName: SyncEntityName.presence)
        request.predicate = predicate
        request.returnsObjectsAsFaults = false
        return request
    }

    /// The presences of names in a scope.
    static func fetch(
        _ names: Set<UUID>, scope: String, in context: NSManagedObjectContext
    ) throws -> [UUID: PresenceRow] {
        var found: [UUID: PresenceRow] = [:]
        for part in names.map(\.text).sorted().statementParts {
            for object in try context.fetch(request(NSPredicate(format: "scope == %@ AND name IN %@", scope, part))) {
                let row = PresenceRow(object: object)
                found[row.name] = row
            }
        }
        return found
    }

    /// The names of the records in a scope.
    static func namesIn(_ scope: String, in context: NSManagedObjectContext) throws -> Set<UUID> {
        let request = NSFetchRequest<NSDictionary>(entityName: SyncEntityName.presence)
        request.predicate = NSPredicate(format: "scope == %@ AND isIn == YES", scope)
        request.resultType = .dictionaryResultType
        request.propertiesToFetch = ["name"]
        return Set(try context.fetch(request).compactMap { ($0["name"] as? String).flatMap(UUID.init(text:)) })
    }
}

extension [String] {
    /// Parts that fit into one statement.
    var statementParts: [[String]] {
        stride(from: 0, to: count, by: 500).map { Array(self[$0..<Swift.min($0 + 500, count)]) }
    }
}
