// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The tables of a schema: entity tables and join tables.

import Foundation

/// The table of a root entity and its subentities.
package final class EntityTable: @unchecked Sendable {  // immutable once the schema is made
    package struct Column {
        package var name: String
        package var type: String
    }

    package let root: EntityLayout
    package let name: String
    /// In the order of the file, without the three columns that begin every table.
    package var columns: [Column] = []
    /// Columns with keys of other rows, in the order of their indexes; each column has one.
    package var keyColumns: [String] = []

    package let sql: String
    package let dialect: any Dialect

    package init(root: EntityLayout, name: String, dialect: any Dialect) {
        self.dialect = dialect
        self.root = root
        self.name = name
        sql = dialect.qualified(name)
    }

    /// The type of a column; empty for an unknown column.
    func type(of column: String) -> String { columns.first { $0.name == column }?.type ?? "" }
}

/// The table of a many-to-many relationship between two entities or within one.
package final class JoinTable: @unchecked Sendable {  // immutable once the schema is made
    package let name: String
    /// The columns with the keys of the owner and of the member.
    package let ownerColumn: String
    package let memberColumn: String
    /// The order keys of members within an owner, and of owners within a member.
    package let memberOrder: String?
    package let ownerOrder: String?
    /// The layouts that declare the two ends, and their slots.
    package let owner: EntityLayout
    package let ownerSlot: Int
    package let member: EntityLayout
    package let memberSlot: Int
    private let dialect: any Dialect
    /// Whether the relationship is its own inverse. Each direction of a link is then a row.
    package var isReflexive: Bool { owner === member && ownerSlot == memberSlot }

    package init(
        name: String, ownerColumn: String, memberColumn: String, memberOrder: String?, ownerOrder: String?,
        owner: EntityLayout, ownerSlot: Int, member: EntityLayout, memberSlot: Int, dialect: any Dialect
    ) {
        self.name = name
        self.ownerColumn = ownerColumn
        self.memberColumn = memberColumn
        self.memberOrder = memberOrder
        self.ownerOrder = ownerOrder
        self.owner = owner
        self.ownerSlot = ownerSlot
        self.member = member
        self.memberSlot = memberSlot
        self.dialect = dialect
    }

    package func column(of isOwner: Bool) -> String { dialect.quoted(isOwner ? ownerColumn : memberColumn) }
    package func order(of isOwner: Bool) -> String? { (isOwner ? memberOrder : ownerOrder).map(dialect.quoted) }
    package var sql: String { dialect.qualified(name) }
}

/// One entity in the store.
package final class EntityMapping: @unchecked Sendable {  // immutable once the schema is made
    package let layout: EntityLayout
    package let table: EntityTable
    package var dialect: any Dialect { table.dialect }
    /// The entity's number in this store, equal to `Z_ENT` of its rows.
    package let number: Int64
    package var storage: [SlotStorage] = []
    package var stored: StoredEntity { StoredEntity(number: number, name: layout.name) }

    package init(layout: EntityLayout, table: EntityTable, number: Int64) {
        self.layout = layout
        self.table = table
        self.number = number
    }
}
