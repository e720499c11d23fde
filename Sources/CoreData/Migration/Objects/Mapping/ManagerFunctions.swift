// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Evaluates calls and keys of the migration manager in the expressions of a mapping model.

import CoreDataFoundation
import Foundation

extension NSMigrationManager: FunctionAnswering, KeyValueReadable {
    /// `$manager.key`.
    package final func storedValue(forKey key: String) throws -> Any? {
        switch key {
        case "self": return self
        case "sourceContext": return sourceContext
        case "destinationContext": return destinationContext
        case "sourceModel": return sourceModel
        case "destinationModel": return destinationModel
        case "mappingModel": return mappingModel
        case "currentEntityMapping": return currentEntityMapping
        case "migrationProgress": return migrationProgress
        case "userInfo": return userInfo
        default: throw KeyValueError.unknownKey(key, type: "NSMigrationManager")
        }
    }
}

// `$entityMapping.name` and `$propertyMapping.userInfo.key`.
extension NSEntityMapping: KeyValueReadable {
    package func storedValue(forKey key: String) throws -> Any? {
        switch key {
        case "self": return self
        case "name": return name
        case "sourceEntityName": return sourceEntityName
        case "destinationEntityName": return destinationEntityName
        case "userInfo": return userInfo
        default: throw KeyValueError.unknownKey(key, type: "NSEntityMapping")
        }
    }
}

extension NSPropertyMapping: KeyValueReadable {
    package func storedValue(forKey key: String) throws -> Any? {
        switch key {
        case "self": return self
        case "name": return name
        case "userInfo": return userInfo
        default: throw KeyValueError.unknownKey(key, type: "NSPropertyMapping")
        }
    }
}

/// The functions that mapping models call, by the names of Apple's selectors.
struct ManagerFunctions {
    private let manager: NSMigrationManager

    init(_ manager: NSMigrationManager) { self.manager = manager }

    func value(_ selector: String, _ arguments: [Any?]) throws -> Any? {
        if arguments.isEmpty, let value = try? manager.storedValue(forKey: selector) { return value }
        let texts = arguments.map { presentValue($0) as? String }
        switch (selector, arguments.count) {
        case ("fetchRequestForSourceEntityNamed:predicateString:", 2):
            return try request(texts[0], texts[1], selector)
        case ("destinationInstancesForEntityMappingNamed:sourceInstances:", 2):
            return manager.destinationInstances(
                forEntityMappingName: try name(texts[0], selector), sourceInstances: try objects(arguments[1], selector)
            )
        case ("sourceInstancesForEntityMappingNamed:destinationInstances:", 2):
            return manager.sourceInstances(
                forEntityMappingName: try name(texts[0], selector),
                destinationInstances: try objects(arguments[1], selector))
        case ("destinationInstancesForSourceRelationshipNamed:sourceInstances:", 2):
            _ = try name(texts[0], selector)
            return manager.session.destinations(of: try objects(arguments[1], selector))
        default: throw CoreDataError.unknownFunction(selector, of: "\(type(of: manager))")
        }
    }

    /// A request for the objects of an entity without those of its subentities, which have separate mappings.
    private func request(_ entity: String?, _ predicate: String?, _ selector: String) throws
        -> NSFetchRequest<any NSFetchRequestResult>
    {
        let entity = try name(entity, selector)
        guard let description = manager.session.source.model.entitiesByName[entity] else {
            throw CoreDataError.policy(
                "The source has no entity '\(entity)', which an expression of the mapping model names.")
        }
        let request = NSFetchRequest<any NSFetchRequestResult>(entityName: entity)
        request.entity = description
        request.includesSubentities = false
        request.fetchBatchSize = MigrationPass.batch
        guard let predicate else { return request }
        do {
            request.predicate = try NSPredicate.parsing(predicate)
        } catch {
            throw CoreDataError.policy(
                "The predicate '\(predicate)' of the mapping model cannot be read.", underlying: error)
        }
        return request
    }

    private func name(_ text: String?, _ selector: String) throws -> String {
        guard let text else { throw CoreDataError.policy("The first argument of '\(selector)' is no name.") }
        return text
    }

    /// The objects in one object, nil, or a collection; those of a set in ascending order of their keys.
    private func objects(_ value: Any?, _ selector: String) throws -> [NSManagedObject] {
        guard let objects = ManagedObjectList(value) else {
            throw CoreDataError.policy(
                "The last argument of '\(selector)' is a \(value.map { "\(type(of: $0))" } ?? "nil"), not an object or a "
                    + "collection of objects.")
        }
        return objects.members
    }
}

/// The managed objects in a value: one object or any collection.
struct ManagedObjectList {
    let members: [NSManagedObject]

    /// nil for a value that contains anything other than managed objects.
    init?(_ value: Any?) {
        switch presentValue(value) {
        case nil: members = []
        case let object as NSManagedObject: members = [object]
        case let objects as [NSManagedObject]: members = objects
        case let objects as NSOrderedSet:
            guard let list = Self.objects(objects.array) else { return nil }
            members = list
        case let objects as NSSet:
            guard let list = Self.objects(objects.allObjects) else { return nil }
            members = Self.sorted(list)
        default: return nil
        }
    }

    private static func objects(_ members: [Any]) -> [NSManagedObject]? {
        let objects = members.compactMap { $0 as? NSManagedObject }
        return objects.count == members.count ? objects : nil
    }

    private static func sorted(_ objects: [NSManagedObject]) -> [NSManagedObject] {
        guard objects.count > 1 else { return objects }
        // Temporary keys count downwards from zero.
        return objects.map { object in (object.objectID.objectKey, object) }.sorted { one, other in
            (one.0.entityIndex, one.0.key.magnitude) < (other.0.entityIndex, other.0.key.magnitude)
        }.map(\.1)
    }
}
