// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The origin of an attribute's column: an old column, converted or filled, a default, or nothing.

import Foundation
import SQLiteDriver

/// One attribute of one entity.
struct AttributeOrigin {
    private let entity: EntityTransition
    private let attribute: NSAttributeDescription?
    private let oldSlot: Int?
    private let name: String
    /// The value of rows without one; nil for none.
    private let defaultValue: Any?

    init(_ entity: EntityTransition, _ slot: Int) {
        self.entity = entity
        attribute = entity.destination.layout.attribute(slot)
        oldSlot = entity.sourceSlot(slot)
        name = entity.destination.layout.properties[slot].name
        let fillers = entity.pair.property(name)?.fillers ?? []
        defaultValue = fillers.lazy.compactMap { ($0 as? NSAttributeDescription)?.defaultValue }.first
    }

    /// The attribute of the source; nil for a new one.
    var former: NSAttributeDescription? { oldSlot.flatMap { entity.source.layout.attribute($0) } }

    /// Whether the store computes the value anew: a derived attribute that is new, or has another derivation.
    var isComputedAnew: Bool {
        guard let derived = attribute as? NSDerivedAttributeDescription else { return false }
        return (former as? NSDerivedAttributeDescription)?.derivationText != derived.derivationText
    }

    /// The old column of an element; nil for none.
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

    /// The SQL of the value that fills rows without one; nil for none.
    ///
    /// - Throws: `ScriptFailure` for a default that the column cannot hold.
    func defaultLiteral(_ coding: ColumnCoding) throws -> String? {
        guard let value = defaultValue else { return nil }
        if case .transformable(let transform) = coding {
            do {
                return Self.blob(try transform.encode(value))
            } catch {
                throw ScriptFailure(
                    entity: entity.destination.layout.name, property: name,
                    reason:
                        "Its default value cannot be archived: \((error as? TransformFailure)?.reason ?? "\(error)")")
            }
        }
        switch ColumnArgument.value(value, coding) {
        case .integer(let number)?: return String(number)
        case .real(let number)?: return Self.real(number)
        case .text(let text)?: return Self.text(text)
        case .blob(let data)?:
            if case .externalBinary = coding { return Self.blob(ExternalColumn.inline(data)) }
            return Self.blob(data)
        case .null?, nil:
            throw ScriptFailure(
                entity: entity.destination.layout.name, property: name,
                reason: "Its default value does not have the attribute's type")
        }
    }

    func origin(of column: AttributeColumn, path: [String]) throws -> RowOrigin {
        if isComputedAnew { return RowOrigin(.null, base: self.column(path: path)?.name) }
        guard let old = self.column(path: path) else {
            let literal = path.isEmpty ? try defaultLiteral(column.coding) : nil
            return literal.map { RowOrigin(RowExpression(.sql($0))) } ?? .null
        }
        let value = converted(old, to: column.coding)
        guard path.isEmpty, let literal = try defaultLiteral(column.coding) else {
            return RowOrigin(value, base: value.plainColumn == nil ? old.name : nil, where: present(value, old.name))
        }
        let filled = RowExpression(parts: [.sql("COALESCE(")] + value.parts + [.sql(", \(literal))")])
        return RowOrigin(
            filled, base: value.plainColumn,
            where: value.plainColumn.map { RowExpression(.column($0), .sql(" IS NULL")) })
    }

    private func present(_ value: RowExpression, _ column: String) -> RowExpression? {
        value.plainColumn == nil ? RowExpression(.column(column), .sql(" IS NOT NULL")) : nil
    }

    /// Numbers need no cast: the affinity of the new column converts them, and checks have found those that do not fit.
    private func converted(_ old: AttributeColumn, to coding: ColumnCoding) -> RowExpression {
        switch (old.coding, coding) {
        case (.binary, .externalBinary):
            RowExpression(.sql("\(MigrationFunctions.inline)("), .column(old.name), .sql(")"))
        case (.externalBinary, .binary):
            RowExpression(.sql("\(MigrationFunctions.contents)("), .column(old.name), .sql(")"))
        default: .column(old.name)
        }
    }

    // MARK: Literals

    private static func blob(_ data: Data) -> String {
        "X'" + data.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined() + "'"
    }

    private static func real(_ number: Double) -> String {
        number.isFinite ? String(number) : number.isNaN ? "NULL" : number > 0 ? "9e999" : "-9e999"
    }

    /// SQLite reads a text up to a NUL character.
    private static func text(_ text: String) -> String {
        text.contains("\0")
            ? "CAST(\(blob(Data(text.utf8))) AS TEXT)" : SchemaNaming.literal(text)
    }
}

extension RowExpression {
    init(parts: [Part]) { self.parts = parts }
}

/// The names of the functions that scripts call. Only the connection of a migration has them.
enum MigrationFunctions {
    /// Of an owner's key: the next free order key among the owner's members.
    static let nextOrder = "OCD_NEXTORDER"
    /// Of data: the same data as a column with external storage has it.
    static let inline = "OCD_INLINE"
    /// Of a column with external storage: its data, read from the file if it lies in one.
    static let contents = "OCD_CONTENTS"
    /// Of the old number of an entity and the changed columns of a history's row: the columns of the new version.
    static let historyColumns = "OCD_HISTORYCOLUMNS"
}
