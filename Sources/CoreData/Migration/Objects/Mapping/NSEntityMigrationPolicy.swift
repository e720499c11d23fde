// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The work of one entity mapping, in steps that a program can override.

import CoreDataFoundation
import Foundation

/// Does the work of one entity mapping. A mapping model names a subclass where expressions are not enough.
///
/// ```swift
/// final class BookPolicy: NSEntityMigrationPolicy {
///     override func createDestinationInstances(
///         forSource book: NSManagedObject, in mapping: NSEntityMapping, manager: NSMigrationManager
///     ) throws {
///         try super.createDestinationInstances(forSource: book, in: mapping, manager: manager)
///         let copies = manager.destinationInstances(forEntityMappingName: mapping.name, sourceInstances: [book])
///         copies.first?.setValue("unknown", forKey: "condition")
///     }
/// }
/// ```
///
/// The methods are called in the order of their declaration, on the thread of the migration: `begin` to
/// `endInstanceCreation` for one mapping after the other, then the relationships of all mappings, then validation. Each
/// entity mapping has its own policy object. An error that a method throws ends the migration and is in the chain of
/// the error that `migrateStore` throws.
open class NSEntityMigrationPolicy: NSObject {
    /// Makes a policy. A migration makes its policies by their classes.
    public override init() { super.init() }

    /// Called before the first object. Does nothing unless overridden.
    open func begin(_ mapping: NSEntityMapping, with manager: NSMigrationManager) throws {}

    /// Makes the objects of the destination for one object of the source, with their attributes.
    ///
    /// Makes and associates one object unless overridden. An override that does not call super may make any objects,
    /// and calls `associate(sourceInstance:withDestinationInstance:for:)` for those that need relationships.
    ///
    /// - Throws: 134110 with `entity`, `attribute` and `reason` for a value that the attribute cannot hold.
    open func createDestinationInstances(
        forSource sInstance: NSManagedObject, in mapping: NSEntityMapping, manager: NSMigrationManager
    ) throws {
        let session = manager.session
        guard let entity = try session.destinationEntity(of: mapping) else { return }
        let object = NSManagedObject(entity: entity, insertInto: session.destination.context)
        let values = MappedValues(session, mapping, source: sInstance, destination: object, policy: self)
        for property in mapping.attributeMappings ?? [] { try values.setAttribute(property) }
        manager.associate(sourceInstance: sInstance, withDestinationInstance: object, for: mapping)
    }

    /// Called after the last object was made. Does nothing unless overridden.
    open func endInstanceCreation(forMapping mapping: NSEntityMapping, manager: NSMigrationManager) throws {}

    /// Sets the relationships of one object of the destination, when the objects of all mappings exist.
    ///
    /// - Throws: 134110 with `entity`, `property` and `reason` for a value that the relationship cannot hold.
    open func createRelationships(
        forDestination dInstance: NSManagedObject, in mapping: NSEntityMapping, manager: NSMigrationManager
    ) throws {
        let links = manager.session.inverseLinks
        let properties = (mapping.relationshipMappings ?? []).filter { !links.contains($0) }
        guard let name = mapping.name, !properties.isEmpty else { return }
        let source = manager.sourceInstances(forEntityMappingName: name, destinationInstances: [dInstance]).first
        let values = MappedValues(manager.session, mapping, source: source, destination: dInstance, policy: self)
        for property in properties { try values.setRelationship(property) }
    }

    /// Called after the last relationship of the mapping. Does nothing unless overridden.
    open func endRelationshipCreation(forMapping mapping: NSEntityMapping, manager: NSMigrationManager) throws {}

    /// Checks rules that the model does not contain, when all relationships are set. Does nothing unless overridden.
    open func performCustomValidation(forMapping mapping: NSEntityMapping, manager: NSMigrationManager) throws {}

    /// Called when everything is saved. Does nothing unless overridden.
    open func end(_ mapping: NSEntityMapping, manager: NSMigrationManager) throws {}

    /// Evaluates FUNCTION($entityPolicy, 'selector', …) in the expressions of a mapping model.
    ///
    /// An addition to Apple's API, where Objective-C can call any method by its name.
    ///
    /// - Parameters:
    ///   - selector: the name in the expression, with its colons.
    ///   - arguments: the values of the further arguments; nil for null.
    /// - Throws: 134170 with the selector unless overridden.
    open func value(ofFunction selector: String, arguments: [Any?]) throws -> Any? {
        throw CoreDataError.unknownFunction(selector, of: "\(type(of: self))")
    }
}

extension NSEntityMigrationPolicy: FunctionAnswering {}

/// The variable of an expression with the migration manager.
public let NSMigrationManagerKey = "manager"
/// The variable of an expression with the object of the source.
public let NSMigrationSourceObjectKey = "source"
/// The variable of an expression with the object of the destination.
public let NSMigrationDestinationObjectKey = "destination"
/// The variable of an expression with the entity mapping.
public let NSMigrationEntityMappingKey = "entityMapping"
/// The variable of an expression with the property mapping.
public let NSMigrationPropertyMappingKey = "propertyMapping"
/// The variable of an expression with the migration policy.
public let NSMigrationEntityPolicyKey = "entityPolicy"
