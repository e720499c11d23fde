// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The migration policies of the tests. They report to the manager's user info, so that tests may run in parallel.

import CoreData
import Foundation

/// The calls of policies, in order.
final class CallLog {
    var calls: [String] = []
}

extension NSMigrationManager {
    var log: CallLog? { userInfo?["log"] as? CallLog }
}

/// Logs each call and does the standard work.
final class LoggingPolicy: NSEntityMigrationPolicy {
    private func log(_ step: String, _ mapping: NSEntityMapping, _ manager: NSMigrationManager) {
        manager.log?.calls.append("\(step) \(mapping.destinationEntityName ?? "-")")
    }

    override func begin(_ mapping: NSEntityMapping, with manager: NSMigrationManager) throws {
        log("begin", mapping, manager)
    }

    override func createDestinationInstances(
        forSource sInstance: NSManagedObject, in mapping: NSEntityMapping, manager: NSMigrationManager
    ) throws {
        log("create", mapping, manager)
        try super.createDestinationInstances(forSource: sInstance, in: mapping, manager: manager)
    }

    override func endInstanceCreation(forMapping mapping: NSEntityMapping, manager: NSMigrationManager) throws {
        log("created", mapping, manager)
    }

    override func createRelationships(
        forDestination dInstance: NSManagedObject, in mapping: NSEntityMapping, manager: NSMigrationManager
    ) throws {
        log("relate", mapping, manager)
        try super.createRelationships(forDestination: dInstance, in: mapping, manager: manager)
    }

    override func endRelationshipCreation(forMapping mapping: NSEntityMapping, manager: NSMigrationManager) throws {
        log("related", mapping, manager)
    }

    override func performCustomValidation(forMapping mapping: NSEntityMapping, manager: NSMigrationManager) throws {
        log("validate", mapping, manager)
    }

    override func end(_ mapping: NSEntityMapping, manager: NSMigrationManager) throws {
        log("end", mapping, manager)
    }
}

/// Makes one tag for each text, and two volumes for each book.
final class SplittingPolicy: NSEntityMigrationPolicy {
    override func createDestinationInstances(
        forSource sInstance: NSManagedObject, in mapping: NSEntityMapping, manager: NSMigrationManager
    ) throws {
        for part in ["I", "II"] {
            let volume = NSEntityDescription.insertNewObject(
                forEntityName: "Volume", into: manager.destinationContext)
            let title = sInstance.value(forKey: "title") as? String ?? ""
            volume.setValue("\(title) \(part)", forKey: "name")
            manager.associate(sourceInstance: sInstance, withDestinationInstance: volume, for: mapping)
        }
    }

    override func value(ofFunction selector: String, arguments: [Any?]) throws -> Any? {
        guard selector == "shout:" else { return try super.value(ofFunction: selector, arguments: arguments) }
        return (arguments[0] as? String)?.uppercased()
    }
}

/// Does the standard work, and answers a function for expressions.
final class ShoutingPolicy: NSEntityMigrationPolicy {
    override func value(ofFunction selector: String, arguments: [Any?]) throws -> Any? {
        guard selector == "shout:" else { return try super.value(ofFunction: selector, arguments: arguments) }
        return (arguments[0] as? String)?.uppercased()
    }
}

/// Answers functions of expressions: the values of the manager's keys, and objects that the function chooses.
final class AnsweringPolicy: NSEntityMigrationPolicy {
    override func value(ofFunction selector: String, arguments: [Any?]) throws -> Any? {
        switch selector {
        case "same:": return arguments[0]
        case "longBooks:":
            let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
            request.predicate = NSPredicate(format: "pages > 300")
            request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
            return try (arguments[0] as? NSManagedObjectContext)?.fetch(request)
        case "authors:":
            return (arguments[0] as? [NSManagedObject])?.compactMap { $0.value(forKey: "author") as? NSManagedObject }
        case "keys:":
            guard let manager = arguments[0] as? NSMigrationManager else { return nil }
            let wanted: [AnyObject?] = [
                manager.sourceContext, manager.destinationContext, manager.sourceModel, manager.destinationModel,
                manager.mappingModel, manager.currentEntityMapping,
            ]
            let isRight = zip(wanted, arguments.dropFirst()).allSatisfy { $0 === $1 as AnyObject? }
            let progress = (arguments[7] as? NSNumber)?.floatValue
            return "\(isRight) \(progress == manager.migrationProgress) \(arguments[8] as? String ?? "")"
        default: return try super.value(ofFunction: selector, arguments: arguments)
        }
    }
}

/// Associates every thousandth new object with the first source object as well, and logs the partners at the end.
final class OutOfOrderPolicy: NSEntityMigrationPolicy {
    private var count = 0
    private var first: NSManagedObjectID?

    override func createDestinationInstances(
        forSource sInstance: NSManagedObject, in mapping: NSEntityMapping, manager: NSMigrationManager
    ) throws {
        try super.createDestinationInstances(forSource: sInstance, in: mapping, manager: manager)
        count += 1
        if first == nil { first = sInstance.objectID }
        guard count % 1000 == 0, let first, let name = mapping.name else { return }
        let made = manager.destinationInstances(forEntityMappingName: name, sourceInstances: [sInstance])
        manager.associate(
            sourceInstance: manager.sourceContext.object(with: first), withDestinationInstance: made[0], for: mapping)
    }

    override func endRelationshipCreation(forMapping mapping: NSEntityMapping, manager: NSMigrationManager) throws {
        guard let first, let name = mapping.name else { return }
        let book = manager.sourceContext.object(with: first)
        let volumes = manager.destinationInstances(forEntityMappingName: name, sourceInstances: [book])
        let pages = volumes.map { "\($0.value(forKey: "pages") ?? "nil")" }
        manager.log?.calls.append("volumes \(pages.joined(separator: " "))")
        for volume in volumes.dropFirst() {
            let books = manager.sourceInstances(forEntityMappingName: name, destinationInstances: [volume])
            manager.log?.calls.append("books \(books.map { "\($0.value(forKey: "pages") ?? "nil")" }.sorted())")
        }
    }
}

struct PolicyFailure: Error {}

/// Calls a test when the work has begun.
final class CallingPolicy: NSEntityMigrationPolicy {
    override func begin(_ mapping: NSEntityMapping, with manager: NSMigrationManager) throws {
        let call = manager.userInfo?["call"] as? () throws -> Void
        try call?()
    }
}

/// Throws, or cancels, at the third object.
final class FailingPolicy: NSEntityMigrationPolicy {
    private var count = 0

    override func createDestinationInstances(
        forSource sInstance: NSManagedObject, in mapping: NSEntityMapping, manager: NSMigrationManager
    ) throws {
        try super.createDestinationInstances(forSource: sInstance, in: mapping, manager: manager)
        count += 1
        guard count == 3 else { return }
        guard let error = manager.userInfo?["cancel"] as? NSError else { throw PolicyFailure() }
        manager.cancelMigrationWithError(error)
    }
}

/// A class of an entity, which a migration must not make.
final class TrappingAuthor: NSManagedObject {
    override func awakeFromInsert() { preconditionFailure("A migration made an object of the program's class.") }
    override func awakeFromFetch() { preconditionFailure("A migration made an object of the program's class.") }
}
