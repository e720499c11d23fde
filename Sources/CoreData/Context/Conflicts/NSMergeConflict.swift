// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A version conflict: another writer changed the record of a changed object.

public import Foundation

/// A record that was changed after the object in this context was last read.
///
/// There are two situations:
/// 1. Between the context and its coordinator, when another context on the coordinator has saved: `objectSnapshot` and
///    `cachedSnapshot` differ, `persistedSnapshot` is nil.
/// 2. Between the coordinator and the store, when another coordinator or program has written: `cachedSnapshot` and
///    `persistedSnapshot` differ, `objectSnapshot` is nil.
///
/// Snapshots contain the values of all attributes and to-one relationships by property name: ids for to-one
/// relationships, `NSNull` for nil. They contain no to-many relationships: read those from the store.
open class NSMergeConflict: NSObject, @unchecked Sendable {  // belongs to the queue of its object's context
    /// The object to be saved.
    public let sourceObject: NSManagedObject
    /// The object's values when they were last read; nil for a conflict between coordinator and store.
    public let objectSnapshot: [String: Any]?
    /// The row as the coordinator knows it; nil if another context deleted it.
    public let cachedSnapshot: [String: Any]?
    /// The row in the store, for a conflict between coordinator and store; nil for other conflicts, and if it was
    /// deleted.
    public let persistedSnapshot: [String: Any]?
    /// The version of the newer row; 0 if it was deleted.
    public let newVersionNumber: Int
    /// The version that the object's changes are based on.
    public let oldVersionNumber: Int

    /// The newer row; nil if the record was deleted.
    let row: Snapshot?

    /// Makes a conflict for a policy to resolve.
    ///
    /// - Parameters:
    ///   - srcObject: the object to be saved.
    ///   - newvers: the version of the newer row; 0 if it was deleted.
    ///   - oldvers: the version that the object's changes are based on.
    ///   - cachesnap: the row as the coordinator knows it.
    ///   - persnap: the row in the store, for a conflict between coordinator and store.
    public init(
        source srcObject: NSManagedObject, newVersion newvers: Int, oldVersion oldvers: Int,
        cachedSnapshot cachesnap: [String: Any]?, persistedSnapshot persnap: [String: Any]?
    ) {
        let snapshots = ConflictSnapshots(srcObject)
        sourceObject = srcObject
        cachedSnapshot = cachesnap
        persistedSnapshot = persnap
        newVersionNumber = newvers
        oldVersionNumber = oldvers
        objectSnapshot = persnap == nil ? srcObject.baseRow.map(snapshots.dictionary) : nil
        row =
            newvers == 0
            ? nil
            : snapshots.row(
                persnap ?? cachesnap ?? [:], version: Int64(newvers),
                base: srcObject.baseRow ?? .make(srcObject.table.layout))
    }

    /// Makes a conflict about an object without a context.
    public convenience override init() {
        self.init(source: NSManagedObject(), newVersion: 0, oldVersion: 0, cachedSnapshot: nil, persistedSnapshot: nil)
    }

    /// - Parameters:
    ///   - row: the present row of the store; nil if the record was deleted.
    ///   - cached: the row in the row cache before the save, or nil.
    init(_ object: NSManagedObject, _ row: Snapshot?, cached: Snapshot?) {
        let snapshots = ConflictSnapshots(object)
        let isExternal = cached != nil && cached?.version != row?.version
        sourceObject = object
        self.row = row
        objectSnapshot = isExternal ? nil : object.baseRow.map(snapshots.dictionary)
        cachedSnapshot = (isExternal ? cached : row).map(snapshots.dictionary)
        persistedSnapshot = isExternal ? row.map(snapshots.dictionary) : nil
        newVersionNumber = Int(row?.version ?? 0)
        oldVersionNumber = Int(object.baseRow?.version ?? 0)
    }

    open override var description: String {
        "<NSMergeConflict: \(sourceObject.objectID) version \(oldVersionNumber), now \(newVersionNumber)>"
    }
}
