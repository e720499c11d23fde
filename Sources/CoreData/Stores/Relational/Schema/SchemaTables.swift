// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The tables of a schema: those of entities, and those that join two of them.

import Foundation

/// The table of a root entity and everything below it.
final class EntityTable: @unchecked Sendable {  // immutable once the schema is made
    struct Column {
        var name: String
        var type: String
    }

    let root: EntityLayout
    let name: String
    /// In the order of the file, without the three that every table begins with.
    var columns: [Column] = []
    /// Columns with keys of other rows, in the order of their indexes: each has one.
    var keyColumns: [String] = []

    let sql: String

    init(root: EntityLayout, name: String) {
        self.root = root
        self.name = name
        sql = SchemaNaming.quoted(name)
    }
}

/// The rows that link two entities, or two objects of one, many to many.
final class JoinTable: @unchecked Sendable {  // immutable once the schema is made
    let name: String
    /// The column that points at the owning side, and the one that points at the other.
    let ownerColumn: String
    let memberColumn: String
    /// Order of the members within an owner, and of the owners within a member.
    let memberOrder: String?
    let ownerOrder: String?
    /// The layouts that declare the two ends, and the slots of the ends.
    let owner: EntityLayout
    let ownerSlot: Int
    let member: EntityLayout
    let memberSlot: Int
    /// A relationship that is its own inverse: a link is kept once in each direction.
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
    /// The entity's number in this store, `Z_ENT` of its rows.
    let number: Int64
    var storage: [SlotStorage] = []

    init(layout: EntityLayout, table: EntityTable, number: Int64) {
        self.layout = layout
        self.table = table
        self.number = number
    }
}
