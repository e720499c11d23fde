// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The tables of a schema: entity tables and join tables.

import Foundation

/// The table of a root entity and its subentities.
final class EntityTable: @unchecked Sendable {  // immutable once the schema is made
    struct Column {
        var name: String
        var type: String
    }

    let root: EntityLayout
    let name: String
    /// In the order of the file, without the three columns that begin every table.
    var columns: [Column] = []
    /// Columns with keys of other rows, in the order of their indexes; each has one.
    var keyColumns: [String] = []

    let sql: String

    init(root: EntityLayout, name: String) {
        self.root = root
        self.name = name
        sql = SchemaNaming.quoted(name)
    }
}

/// The table of a many-to-many relationship between two entities or within one.
final class JoinTable: @unchecked Sendable {  // immutable once the schema is made
    let name: String
    /// The columns with the keys of the owner and of the member.
    let ownerColumn: String
    let memberColumn: String
    /// The order keys of members within an owner, and of owners within a member.
    let memberOrder: String?
    let ownerOrder: String?
    /// The layouts that declare the two ends, and their slots.
    let owner: EntityLayout
    let ownerSlot: Int
    let member: EntityLayout
    let memberSlot: Int
    /// Whether the relationship is its own inverse. Each direction of a link is then a row.
    var isReflexive: Bool { owner === member && ownerSlot == memberSlot }

    init(
        name: String, ownerColumn: String, memberColumn: String, memberOrder: String?, ownerOrder: String?,
        owner: EntityLayout, ownerSlot: Int, member: EntityLayout, memberSlot: Int
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
    }

    func column(of isOwner: Bool) -> String { SchemaNaming.quoted(isOwner ? ownerColumn : memberColumn) }
    func order(of isOwner: Bool) -> String? { (isOwner ? memberOrder : ownerOrder).map(SchemaNaming.quoted) }
    var sql: String { SchemaNaming.quoted(name) }
}

/// One entity in the store.
final class EntityMapping: @unchecked Sendable {  // immutable once the schema is made
    let layout: EntityLayout
    let table: EntityTable
    /// The entity's number in this store, equal to `Z_ENT` of its rows.
    let number: Int64
    var storage: [SlotStorage] = []

    init(layout: EntityLayout, table: EntityTable, number: Int64) {
        self.layout = layout
        self.table = table
        self.number = number
    }
}
