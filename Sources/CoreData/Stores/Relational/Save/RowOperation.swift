// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// What a save does to rows, as values.

/// One step of a save. Positions lead into the change set, and what is done to rows that follow one another there is one step: the plan
/// of a hundred thousand insertions is as short as that of three.
enum RowOperation: Equatable {
    /// A row must still be there with its version.
    case check(Int)
    /// Everything in join tables and one-way columns that leads to the rows of deletions.
    case unlinkAll(Range<Int>)
    case delete(Range<Int>)
    /// Clears the unique columns that an update will write, so that two rows can trade values.
    case park(Int)
    case update(Range<Int>)
    case insert(Range<Int>)
    case unlink(JoinLink)
    case link(JoinLink)
    /// A to-many without an inverse keeps its owner in the member's row.
    case own(OneWayLink)
    case disown(OneWayLink)
    case order(OrderedMembers)
}

/// One row of a join table. Keys are negative for rows that have none yet.
struct JoinLink: Hashable {
    /// Position in `Schema.joinTables`.
    var table: Int
    var owner: Int64
    var member: Int64
}

struct OneWayLink: Hashable {
    /// The layout and slot of the to-many.
    var layout: Int
    var slot: Int
    var owner: Int64
    var member: Int64
}

/// The order that the members of one object shall have.
struct OrderedMembers: Equatable {
    var layout: Int
    var slot: Int
    var owner: Int64
    var members: [Int64]
}

/// A run of operations that one prepared statement carries out.
enum OperationBatch: Equatable {
    /// Inserts into one table of rows of one entity; positions in `ChangeSet.inserts`.
    case inserts(entity: Int, positions: [Int])
    /// Updates of the same columns of one entity; positions in `ChangeSet.updates`.
    case updates(entity: Int, changed: SlotSet, positions: [Int])
    /// Everything that leads to the rows of deletions of one entity; positions in `ChangeSet.deletes`.
    case unlinkings(entity: Int, positions: [Int])
    case deletes(entity: Int, positions: [Int])
    case single(RowOperation)
}
