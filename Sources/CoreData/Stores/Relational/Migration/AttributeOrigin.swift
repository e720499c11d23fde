// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Finds the origin of an attribute's column: an old column, converted or filled, a default, or nothing.

import Foundation

/// One attribute of one entity.
struct AttributeOrigin {
    private let entity: EntityTransition
    private let attribute: NSAttributeDescription?
    private let oldSlot: Int?
    private let name: String
    /// The value of rows without one; nil if there is no default.
    private let defaultValue: Any?

    init(_ entity: EntityTransition, _ slot: Int) {
        self.entity = entity
        attribute = entity.destination.layout.attribute(slot)
        oldSlot = entity.sourceSlot(slot)
        name = entity.destination.layout.properties[slot].name
        let fillers = entity.pair.property(name)?.fillers ?? []
        defaultValue = fillers.lazy.compactMap { ($0 as? NSAttributeDescription)?.initialValue }.first
    }

    /// The attribute of the source; nil for a new one.
    var former: NSAttributeDescription? { oldSlot.flatMap { entity.source.layout.attribute($0) } }

    /// Whether the store recomputes the value: a derived attribute that is new or has another derivation.
    var isComputedAnew: Bool {
        guard let derived = attribute as? NSDerivedAttributeDescription else { return false }
        return (former as? NSDerivedAttributeDescription)?.derivationText != derived.derivationText
    }

    /// The old column of an element; nil if it had none.
    ///
    /// - Parameter path: empty for an attribute that is not composite.
    func column(path: [String]) -> AttributeColumn? {
        guard let oldSlot else { return nil }
        switch entity.source.storage[oldSlot] {
        case .attribute(let column): return path.isEmpty ? column : nil
        case .composite(let leaves): return leaves.first { $0.path == path }?.column
        case .none, .toOne, .toMany: return nil
        }
    }

    /// The default of an element; for an empty path, that of the attribute.
    private func defaultValue(_ path: [String]) -> Any? {
        path.reduce(defaultValue) { ($0 as? [String: Any])?[$1] }
    }

    /// The SQL of the value that fills rows without one; nil if there is no default.
    ///
    /// - Throws: `ScriptFailure` for a default that the column cannot hold.
    func defaultLiteral(_ coding: ColumnCoding, path: [String]) throws -> String? {
        try literal(defaultValue(path), coding)
    }

    private func literal(_ value: Any?, _ coding: ColumnCoding) throws -> String? {
        guard let value else { return nil }
        let kept: ColumnValue?
        if case .transformable(let transform) = coding {
            do {
                kept = .bytes(try transform.encode(value))
            } catch {
                throw failure(
                    "Its default value cannot be archived: \((error as? TransformFailure)?.reason ?? "\(error)")")
            }
        } else {
            kept = ColumnArgument.column(value, coding)
        }
        guard let literal = kept.flatMap({ entity.destination.dialect.literal($0, coding) }) else {
            throw failure("Its default value does not have the attribute's type")
        }
        return literal
    }

    private func failure(_ reason: String) -> ScriptFailure {
        ScriptFailure(entity: entity.destination.layout.name, property: name, reason: reason)
    }

    func origin(of column: AttributeColumn, path: [String]) throws -> RowOrigin {
        if isComputedAnew { return RowOrigin(.null, base: self.column(path: path)?.name) }
        guard let old = self.column(path: path) else {
            if isNewMember(path) { return try newMember(column, path) }
            guard let literal = try defaultLiteral(column.coding, path: path) else { return .null }
            let formers = path.isEmpty ? [] : formerLeaves
            return formers.isEmpty ? RowOrigin(RowExpression(.sql(literal))) : filled(.null, literal, formers)
        }
        let value = converted(old, to: column)
        guard let literal = try defaultLiteral(column.coding, path: path) else {
            return RowOrigin(value, base: value.plainColumn == nil ? old.name : nil, where: present(value, old.name))
        }
        if !path.isEmpty { return filled(value, literal, formerLeaves) }
        let filled = RowExpression(parts: [.sql("COALESCE(")] + value.parts + [.sql(", \(literal))")])
        return RowOrigin(
            filled, base: value.plainColumn,
            where: value.plainColumn.map { RowExpression(.column($0), .sql(" IS NULL")) })
    }

    /// The columns of the elements that the composite keeps. If all are null, the row has no value.
    private var formerLeaves: [String] {
        guard let oldSlot, case .composite(let old) = entity.source.storage[oldSlot],
            let composite = attribute as? NSCompositeAttributeDescription
        else { return [] }
        return old.filter { composite.hasElement($0.path) }.map(\.column.name)
    }

    /// Whether an element was added to a structure, so that all rows get its default. In an enumeration with a leaf for
    /// each case (SwiftData-V3) a row has one case, so an added case has no value in existing rows.
    private func isNewMember(_ path: [String]) -> Bool {
        guard let oldSlot, case .composite(let old) = entity.source.storage[oldSlot] else { return false }
        let owner = path.dropLast()
        let isKnown = old.contains { $0.path.dropLast() == owner }
        return !isKnown || (attribute as? NSCompositeAttributeDescription)?.isEnumeration(at: Array(owner)) == false
    }

    /// The default of the member; null in a row without the structure, if the structure is optional.
    private func newMember(_ column: AttributeColumn, _ path: [String]) throws -> RowOrigin {
        let value = path.reduce(attribute?.initialValue) { ($0 as? [String: Any])?[$1] }
        guard let text = try literal(value, column.coding) else { return .null }
        let formers = attribute?.isOptional == true ? formerLeaves : []
        let expression = RowExpression(.sql(text))
        return formers.isEmpty ? RowOrigin(expression) : filled(expression, "NULL", formers)
    }

    /// The default of an element, for rows without the whole composite; other rows keep their value or null.
    private func filled(_ value: RowExpression, _ literal: String, _ formers: [String]) -> RowOrigin {
        var condition: [RowExpression.Part] = []
        for name in formers {
            condition += [.sql(condition.isEmpty ? "" : " AND "), .column(name), .sql(" IS NULL")]
        }
        let parts = [.sql("CASE WHEN ")] + condition + [.sql(" THEN \(literal) ELSE ")] + value.parts + [.sql(" END")]
        return RowOrigin(
            RowExpression(parts: parts), base: value.plainColumn,
            where: value.plainColumn.map { _ in RowExpression(parts: condition) })
    }

    private func present(_ value: RowExpression, _ column: String) -> RowExpression? {
        value.plainColumn == nil ? RowExpression(.column(column), .sql(" IS NOT NULL")) : nil
    }

    private func converted(_ old: AttributeColumn, to column: AttributeColumn) -> RowExpression {
        entity.destination.dialect.converted(
            old, type: entity.source.table.type(of: old.name), to: column.coding,
            type: entity.destination.table.type(of: column.name))
    }
}

extension NSCompositeAttributeDescription {
    /// Whether there is an element at a path that is not a composite.
    fileprivate func hasElement(_ path: [String]) -> Bool {
        guard let element = elements.first(where: { $0.name == path.first }) else { return false }
        guard let nested = element as? NSCompositeAttributeDescription else { return path.count == 1 }
        return nested.hasElement(Array(path.dropFirst()))
    }
}

extension NSCompositeAttributeDescription {
    /// Whether the composite at a path is an enumeration, according to SwiftData's model.
    fileprivate func isEnumeration(at path: [String]) -> Bool {
        guard let name = path.first else { return userInfo?["EnumType"] != nil }
        let nested = elements.first { $0.name == name } as? NSCompositeAttributeDescription
        return nested?.isEnumeration(at: Array(path.dropFirst())) ?? false
    }
}

extension RowExpression {
    init(parts: [Part]) { self.parts = parts }
}
