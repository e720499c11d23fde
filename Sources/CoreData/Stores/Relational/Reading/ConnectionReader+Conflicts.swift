// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Finds the conflicts of a save, outside of its transaction: within it a trigger may have changed derived values that
// the end takes back.

extension ChangeSet {
    /// A change of a row, and the version that it was made on.
    package struct VersionedChange {
        let key: Int64
        let layout: EntityLayout
        let version: Int64
    }

    package var versionedChanges: [VersionedChange] {
        updates.map { .init(key: $0.key, layout: $0.snapshot.layout, version: $0.baseVersion) }
            + deletes.map { .init(key: $0.key, layout: $0.layout, version: $0.baseVersion) }
            + checks.map { .init(key: $0.key, layout: $0.layout, version: $0.baseVersion) }
    }
}

extension ConnectionReader {
    /// One conflict for each change of a row that has another version, with the current row.
    ///
    /// Called past the row cache: the conflict resolution needs its previous contents (StoreInterface-5).
    package func versionConflicts(_ changes: [ChangeSet.VersionedChange]) throws -> [SaveOutcome.Conflict] {
        var current: [ObjectKey: Snapshot] = [:]
        let roots = Dictionary(grouping: changes) { $0.layout.rootIndex }
        for (root, group) in roots.sorted(by: { $0.key < $1.key }) {
            for row in try rows(group.map(\.key), root: schema.model.layouts[root]) {
                current[ObjectKey(root, row.key)] = row.snapshot
            }
        }
        return changes.compactMap { change in
            let row = current[ObjectKey(change.layout.rootIndex, change.key)]
            if row?.version == change.version { return nil }
            return SaveOutcome.Conflict(
                kind: .version, key: change.key, layout: change.layout, rowKey: change.key, row: row)
        }
    }

    /// Called when no version is outdated (StoreInterface-4).
    package func uniquenessConflicts(_ changes: ChangeSet) throws -> [SaveOutcome.Conflict] {
        try UniquenessDiagnosis(
            schema: schema, changes: changes, plan: { plans.rows($0, includesSubentities: true) }, rows: rows
        ).conflicts()
    }
}
