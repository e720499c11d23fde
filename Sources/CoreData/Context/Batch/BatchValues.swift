// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Checks the values of batch requests against the model, and converts them to rows.

import CoreDataFoundation
import Foundation

/// The names and values of one batch request, for one entity in one store. Every error names the property (B8).
struct BatchValues {
    let layout: EntityLayout
    private let coordinator: NSPersistentStoreCoordinator
    let home: StoreIdentity
    /// Properties that need a value.
    private let mandatory: [Int]

    init(_ layout: EntityLayout, _ coordinator: NSPersistentStoreCoordinator, _ home: StoreIdentity) {
        self.layout = layout
        self.coordinator = coordinator
        self.home = home
        mandatory = (layout.attributeSlots + layout.toOneSlots).filter { slot in
            !layout.properties[slot].isOptional && !layout[slot].isTransient && !layout[slot].isDerived
        }
    }

    // MARK: Insertion

    func row(_ values: [String: Any]) throws -> BatchInsertion.Row {
        var row = newRow
        for (name, value) in values { try set(value, name, &row) }
        return try completed(row)
    }

    func row(_ values: NSMutableDictionary) throws -> BatchInsertion.Row {
        var row = newRow
        for (key, value) in values {
            guard let name = key as? String else {
                throw CoreDataError.general(
                    "A batch insertion into '\(layout.name)' has a key of type \(type(of: key)).")
            }
            try set(value, name, &row)
        }
        return try completed(row)
    }

    private var newRow: BatchInsertion.Row {
        BatchInsertion.Row(snapshot: layout.defaults?.copy() ?? .make(layout), given: SlotSet())
    }

    private func set(_ value: Any, _ name: String, _ row: inout BatchInsertion.Row) throws {
        let slot = try slot(name, "insertion")
        row.given?.insert(slot)
        try set(value, slot, row.snapshot)
    }

    /// Replaces nil by the default if a value is mandatory.
    ///
    /// - Throws: 1570 if there is no default.
    func completed(_ row: BatchInsertion.Row) throws -> BatchInsertion.Row {
        for slot in mandatory where row.snapshot.isNull(slot) {
            guard let defaults = layout.defaults, !defaults.isNull(slot) else { throw missing(slot) }
            row.snapshot.take(slot, from: defaults)
        }
        return row
    }

    // MARK: Update

    /// - Throws: 134060 for a property that cannot be updated and for a value that it cannot hold, 1570 for nil in a
    ///   mandatory one.
    func update(_ values: [AnyHashable: Any], _ fetch: BoundFetch) throws -> BatchUpdate {
        if values.isEmpty {
            throw CoreDataError.general("The batch update of '\(layout.name)' names no properties to update.")
        }
        let constants = Snapshot.make(layout)
        var slots = SlotSet()
        var expressions: [BatchUpdate.Expression] = []
        for (key, value) in values {
            let slot = try slot(try name(key), "update")
            guard !layout[slot].isTransient, !layout[slot].isDerived else {
                throw CoreDataError.general(
                    "'\(qualifiedName(slot))' cannot be updated: it is \(layout[slot].isDerived ? "derived" : "transient")."
                )
            }
            if let syntax = try expression(value) {
                expressions.append(.init(slot: slot, syntax: syntax))
                continue
            }
            let constant = (value as? CoreDataFoundation.NSExpression).map(constantValue) ?? value
            try set(constant, slot, constants)
            if constants.isNull(slot), !layout.properties[slot].isOptional { throw missing(slot) }
            slots.insert(slot)
        }
        return BatchUpdate(
            fetch: fetch, constants: constants, constantSlots: slots,
            expressions: expressions.sorted { $0.slot < $1.slot })
    }

    private func name(_ key: AnyHashable) throws -> String {
        switch key.base {
        case let name as String: return name
        case let name as NSString: return String(name)
        case let property as NSPropertyDescription: return property.name
        default:
            throw CoreDataError.general(
                "The batch update of '\(layout.name)' has a key of type \(type(of: key.base)): use names or descriptions of "
                    + "properties.")
        }
    }

    /// nil for a constant.
    private func expression(_ value: Any) throws -> ExpressionSyntax? {
        guard let expression = value as? CoreDataFoundation.NSExpression else { return nil }
        if case .constant = expression.syntax { return nil }
        guard !expression.syntax.hasCode else {
            throw CoreDataError.general(
                "A batch update of '\(layout.name)' has an expression with code in it, which a store cannot evaluate.")
        }
        let paths = KeyPathResolver(model: coordinator.model)
        try PathCheck(paths).check(expression.syntax, from: layout)
        return ConstantConversion(paths: paths).read(expression.syntax, from: layout)
    }

    private func constantValue(_ expression: CoreDataFoundation.NSExpression) -> Any {
        guard case .constant(let value?) = expression.syntax else { return NSNull() }
        return value
    }

    // MARK: Values

    private func slot(_ name: String, _ kind: String) throws -> Int {
        guard let slot = layout.slot(name) else {
            throw CoreDataError.general(
                "The batch \(kind) names '\(name)', which '\(layout.name)' does not have."
                    + layout.names(near: name))
        }
        switch layout[slot].kind {
        case .toMany, .fetched:
            throw CoreDataError.general(
                "The batch \(kind) names '\(qualifiedName(slot))', which has many objects: set the other end.")
        default: return slot
        }
    }

    /// - Parameter row: must be uniquely referenced.
    private func set(_ value: Any, _ slot: Int, _ row: Snapshot) throws {
        if layout[slot].kind == .reference {
            guard let reference = try reference(value, slot) else { return row.setNull(slot) }
            return row.setReference(reference, slot)
        }
        guard row.setValue(value, slot) else { throw Self.invalidValue(value, slot, layout) }
    }

    private func reference(_ value: Any, _ slot: Int) throws -> Reference? {
        guard let value = Snapshot.unwrapped(value) else { return nil }
        guard let given = (value as? NSManagedObject)?.objectID ?? value as? NSManagedObjectID else {
            throw Self.invalidValue(value, slot, layout)
        }
        guard !given.isTemporaryID else {
            throw CoreDataError.general(
                "'\(qualifiedName(slot))' is to lead to \(given), which was never saved: save the object first.")
        }
        guard let relationship = layout.relationship(slot) else { throw Self.invalidValue(value, slot, layout) }
        guard let id = coordinator.ownID(of: given), id.home === home else {
            throw CoreDataError.externalRelationship(relationship.qualifiedName, object: given)
        }
        let destination = coordinator.model.layouts[Int(layout[slot].destination)]
        guard id.layout.isKind(of: destination) else {
            throw CoreDataError.general(
                "'\(relationship.qualifiedName)' leads to objects of '\(destination.name)', not of '\(id.layout.name)'."
            )
        }
        return Reference(entityIndex: id.layout.index, key: id.key)
    }

    private func qualifiedName(_ slot: Int) -> String { Self.qualifiedName(slot, layout) }

    private static func qualifiedName(_ slot: Int, _ layout: EntityLayout) -> String {
        "\(layout.name).\(layout.properties[slot].name)"
    }

    static func invalidValue(_ value: Any, _ slot: Int, _ layout: EntityLayout) -> NSError {
        CoreDataError.general("'\(qualifiedName(slot, layout))' cannot hold a value of type \(type(of: value)).")
    }

    private func missing(_ slot: Int) -> NSError {
        CoreDataError.validation(
            .validationMissingMandatoryProperty, object: nil, entity: layout.entity, key: layout.properties[slot].name)
    }
}
