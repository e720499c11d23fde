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
