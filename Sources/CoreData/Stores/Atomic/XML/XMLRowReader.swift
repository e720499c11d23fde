// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Reads the objects of an XML store into rows, one after another.

import CoreDataModelFiles
import Foundation

/// Reads one file.
struct XMLRowReader {
    private let schema: XMLSchema
    private var builder: TableBuilder
    private var format = XMLFormat()
    private var numbers: Set<Int64> = []
    private var orderNumbers: [[UInt16]: Int32] = [:]
    private var order: [UInt16] = []

    init(_ model: ModelLayout, _ schema: XMLSchema, _ keys: KeyCounter) {
        self.schema = schema
        builder = TableBuilder(model, keys: keys)
    }

    /// - Throws: `AtomicDamage`, `AtomicForeignModel`, and the errors of the file reader.
    mutating func read(_ file: XMLStoreReader, _ format: XMLFormat) throws -> (MemoryTables, XMLFormat) {
        var file = file
        self.format = format
        var object = XMLStoreObject()
        while try file.next(&object) {
            guard numbers.insert(object.number).inserted else {
                throw AtomicDamage(reason: "Two objects have the id z\(object.number): see line \(object.line).")
            }
            try add(object)
        }
        return (try builder.finish(), self.format)
    }

    private mutating func add(_ object: XMLStoreObject) throws {
        guard let entity = schema[type: object.type] else {
            throw AtomicForeignModel(reason: "The model has no entity for '\(object.type)', which the file holds.")
        }
        guard !entity.layout.isAbstract else {
            throw AtomicDamage(reason: "There is an object of '\(entity.layout.name)', which is abstract.")
        }
        let row = Snapshot.make(entity.layout)
        var composites: [Int: [String: Any]] = [:]
        order.removeAll(keepingCapacity: true)
        for property in object.properties {
            switch property {
            case .attribute(let attribute): try read(attribute, object, entity, row, &composites)
            case .relationship(let relationship): try read(relationship, object, entity, row)
            }
        }
        for (slot, value) in composites { row.setBox(ValueBox(value), slot) }
        builder.add(row, key: object.number)
        format.places.append(
            .init(root: Int32(entity.layout.rootIndex), order: orderNumber(entity), key: object.number))
    }

    private mutating func field(_ name: String, _ object: XMLStoreObject, _ entity: XMLSchema.Entity) throws
        -> XMLSchema.Field
    {
        guard let number = entity.numbers[name] else {
            throw AtomicForeignModel(
                reason: "'\(entity.layout.name)' has no property for '\(name)', which z\(object.number) has.")
        }
        guard !order.contains(UInt16(truncatingIfNeeded: number)) else {
            throw AtomicDamage(reason: "z\(object.number) has '\(name)' twice: see line \(object.line).")
        }
        order.append(UInt16(truncatingIfNeeded: number))
        return entity.fields[number]
    }

    private mutating func read(
        _ attribute: XMLStoreObject.Attribute, _ object: XMLStoreObject, _ entity: XMLSchema.Entity, _ row: Snapshot,
        _ composites: inout [Int: [String: Any]]
    ) throws {
        let field = try field(attribute.name, object, entity)
        let damage = AtomicDamage(
            reason: "'\(attribute.name)' of z\(object.number) is no value of its type: see line \(object.line).")
        guard let text = attribute.isEncoded ? Self.decoded(attribute.text) : attribute.text else { throw damage }
        switch field.kind {
        case .attribute(let coding):
            guard coding.read(text, into: row, field.slot) else { throw damage }
        case .element(let path, let coding):
            guard let value = coding.value(text) else { throw damage }
            composites[field.slot, default: [:]].set(value, at: path[...])
        case .toOne, .toMany: throw damage
        }
    }

    private static func decoded(_ text: String) -> String? {
        Base64Lines.decode(text).flatMap { String(data: $0, encoding: .utf8) }
    }

    private mutating func read(
        _ relationship: XMLStoreObject.Relationship, _ object: XMLStoreObject, _ entity: XMLSchema.Entity,
        _ row: Snapshot
    ) throws {
        let field = try field(relationship.name, object, entity)
        let layout = entity.layout
        switch field.kind {
        case .attribute, .element:
            throw AtomicDamage(
                reason:
                    "'\(relationship.name)' of z\(object.number) is an attribute in the model: see line \(object.line)."
            )
        case .toOne:
            guard let key = relationship.members.first else { return }
            guard relationship.members.count == 1 else {
                throw AtomicDamage(
                    reason: "'\(relationship.name)' of z\(object.number) is to-one and leads to several objects: "
                        + "see line \(object.line).")
            }
            row.setReference(Reference(entityIndex: Int(layout[field.slot].destination), key: key), field.slot)
        case .toMany:
            builder.link(relationship.members, slot: field.slot, of: layout, owner: object.number)
            keepOrder(relationship.members, field.slot, layout, object.number)
        }
    }

    private mutating func keepOrder(_ members: [Int64], _ slot: Int, _ layout: EntityLayout, _ owner: Int64) {
        guard let relationship = layout.relationship(slot), !relationship.isOrdered,
            relationship.mutualInverse.map({ !$0.isToMany }) ?? false,
            !zip(members, members.dropFirst()).allSatisfy(<)
        else { return }
        format.memberOrder[.init(relationship: ObjectIdentifier(relationship), owner: owner)] = members
    }

    /// -1 for the order of a new object's fields.
    private mutating func orderNumber(_ entity: XMLSchema.Entity) -> Int32 {
        if zip(order, order.dropFirst()).allSatisfy(<) { return -1 }
        if let known = orderNumbers[order] { return known }
        let number = Int32(format.orders.count)
        format.orders.append(order)
        orderNumbers[order] = number
        return number
    }
}
