// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Writes rows as the objects of an XML store.

import CoreDataModelFiles
import Foundation

/// Writes one file.
struct XMLRowWriter {
    private let tables: MemoryTables
    private let schema: XMLSchema
    private let format: XMLFormat
    private let members: MemberLists

    init(_ tables: MemoryTables, _ model: ModelLayout, _ schema: XMLSchema, _ format: XMLFormat) {
        self.tables = tables
        self.schema = schema
        self.format = format
        members = MemberLists(tables, model)
    }

    func write(to writer: inout XMLStoreWriter) throws {
        for place in format.places {
            guard let row = tables.tables[Int(place.root)]?[place.key], let entity = schema[index: row.layout.index]
            else {
                continue
            }
            writer.beginObject(type: entity.type, number: place.key)
            try write(row, place.key, entity, place.order, to: &writer)
            try writer.endObject()
        }
    }

    private func write(
        _ row: Snapshot, _ key: Int64, _ entity: XMLSchema.Entity, _ order: Int32, to writer: inout XMLStoreWriter
    ) throws {
        guard order >= 0 else {
            for field in entity.fields { try write(field, row, key, to: &writer) }
            return
        }
        // Fields that an object did not have before are added at its end, as in Apple's framework.
        let first = format.orders[Int(order)].map(Int.init)
        for number in first where number < entity.fields.count {
            try write(entity.fields[number], row, key, to: &writer)
        }
        let written = Set(first)
        for number in entity.fields.indices where !written.contains(number) {
            try write(entity.fields[number], row, key, to: &writer)
        }
    }

    private func write(_ field: XMLSchema.Field, _ row: Snapshot, _ key: Int64, to writer: inout XMLStoreWriter) throws
    {
        switch field.kind {
        case .attribute(let coding):
            guard !row.isNull(field.slot), let text = try text(row, field, { try coding.text(row, field.slot) }) else {
                return
            }
            add(text, field, coding, to: &writer)
        case .element(let path, let coding):
            guard let value = (row.box(field.slot)?.value as? [String: Any])?.value(at: path[...]),
                let text = try text(row, field, { try coding.text(value) })
            else { return }
            add(text, field, coding, to: &writer)
        case .toOne: add(row.reference(field.slot).map { [$0.key] } ?? [], field, to: &writer)
        case .toMany:
            add(sorted(members.of(field.slot, row.layout, key), field.slot, row.layout, key), field, to: &writer)
        }
    }

    private func text(_ row: Snapshot, _ field: XMLSchema.Field, _ make: () throws -> String?) throws -> String? {
        do {
            return try make()
        } catch let failure as TransformFailure {
            throw AtomicRefusal(
                reason: "\(row.layout.properties[field.slot].qualifiedName) cannot be stored: \(failure.reason).")
        }
    }

    private func add(_ text: String, _ field: XMLSchema.Field, _ coding: XMLCoding, to writer: inout XMLStoreWriter) {
        let isPlain = XMLText.canHold(text)
        writer.add(
            .attribute(
                .init(
                    name: field.name, type: coding.name, isEncoded: !isPlain,
                    text: isPlain ? text : Base64Lines.encode(Data(text.utf8)))))
    }

    private func add(_ members: [Int64], _ field: XMLSchema.Field, to writer: inout XMLStoreWriter) {
        writer.add(
            .relationship(
                .init(name: field.name, count: field.count, destination: field.destination, members: members)))
    }

    /// Members in the order of the file, followed by those added since.
    private func sorted(_ members: [Int64], _ slot: Int, _ layout: EntityLayout, _ owner: Int64) -> [Int64] {
        guard !format.memberOrder.isEmpty, let relationship = layout.relationship(slot),
            let order = format.memberOrder[.init(relationship: ObjectIdentifier(relationship), owner: owner)]
        else { return members }
        let present = Set(members)
        let known = Set(order)
        return order.filter(present.contains) + members.filter { !known.contains($0) }
    }
}
