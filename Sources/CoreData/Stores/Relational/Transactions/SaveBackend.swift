// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The part of a save that each database has for itself: its transaction and its statements.

/// One save in one database. `RelationalSave` calls it, and decides what a refusal or an unknown commit means.
package protocol SaveBackend {
    associatedtype Session: SaveSession
    associatedtype Reader: ConnectionReader
    /// Names a transaction, to look for it in the database.
    associatedtype Mark: Equatable

    /// Whether the database checks unique values row by row, so that rows that exchange values are parked.
    static var parks: Bool { get }

    var schema: Schema { get }
    var planner: SavePlanner { get }

    /// Finds out which commits are durable, and forgets the others.
    ///
    /// - Throws: an error if the database gives no answer.
    func settledCommits() throws -> IndeterminateCommits<Mark>

    /// Remembers a commit of unknown end.
    func remember(_ mark: Mark, _ work: IndeterminateCommits<Mark>.Work)

    /// The changes with values as the database stores them. Called before the first attempt, and again when another
    /// transaction has changed rows of an earlier attempt.
    mutating func prepare(_ changes: ChangeSet) throws -> ChangeSet

    /// Calls the body in a transaction, confirms it, and commits it.
    ///
    /// - Parameters:
    ///   - confirm: called when only the commit is left; `false` rolls back.
    ///   - body: writes the changes.
    /// - Throws: `SaveRefusal`; other errors of a transaction that was rolled back.
    func transaction(_ confirm: () throws -> Bool, _ body: (inout Session) throws -> Void) throws -> CommitEnd<Mark>

    /// Calls the body with a reader that sees the newest rows, and puts none into the store's cache.
    func read<T>(_ body: (Reader) throws -> T) throws -> T

    /// Whether an error of an unconfirmed transaction may be gone with the next attempt.
    func isTransient(_ error: any Error) -> Bool

    /// An error that names the object and the property because of which the database refused a row.
    func explained(_ error: any Error, _ changes: ChangeSet, _ keys: AssignedKeys) throws -> any Error
}

extension SaveBackend {
    func isTransient(_ error: any Error) -> Bool { false }
    func explained(_ error: any Error, _ changes: ChangeSet, _ keys: AssignedKeys) -> any Error { error }
}

/// The statements of one transaction, in the order in which they are called.
package protocol SaveSession {
    /// Values of deleted rows that the history keeps.
    associatedtype Tombstones

    /// Permanent keys of insertions, in their order.
    func keys(of inserts: [ChangeSet.Insert]) throws -> AssignedKeys

    /// Called before rows are deleted.
    func tombstones(of deletes: [ChangeSet.Delete]) throws -> Tombstones

    /// Writes rows, links, metadata and derived columns.
    ///
    /// - Parameter parking: whether unique columns are set to null before rows exchange their values.
    /// - Throws: `SaveRefusal`.
    mutating func write(_ changes: ChangeSet, _ keys: AssignedKeys, parking: Bool) throws

    /// Reads the rows that the database changed itself. No row cache gets them, because they may be rolled back.
    func recompute(_ changes: ChangeSet, _ keys: AssignedKeys, into outcome: inout SaveOutcome) throws

    /// Whether the store has a history. Valid after `write`.
    var records: Bool { get }

    /// Writes the transaction into the history.
    ///
    /// - Returns: its number; nil if it changed nothing that a history records.
    func record(_ changes: RecordedChanges, _ tombstones: Tombstones) throws -> Int64?
}

/// The end of a transaction that threw no error.
package enum CommitEnd<Mark> {
    case committed
    /// `confirm` returned `false`.
    case rolledBack
    /// The commit failed with an error, and the database gives no answer.
    case unknown(Mark, any Error)
}

/// A transaction was rolled back because of rows of other transactions.
package enum SaveRefusal: Error {
    /// Rows that lack the expected version are among these changes.
    case outdated([ChangeSet.VersionedChange])
    /// A unique value is in use; the database's error.
    case duplicate(any Error)
}
