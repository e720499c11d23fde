// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Finds the changes of rows that have another version than the change was made on.

/// Compares changes with the stored rows, outside of any transaction: within it a trigger may have changed derived
/// values that the end takes back.
package struct VersionDiagnosis {
    /// A change of a row, and the version that it was made on.
    package struct Change {
        let key: Int64
        let layout: EntityLayout
        let version: Int64
    }

    private let changes: [Change]
    private let model: ModelLayout
    private let rows: ([Int64], EntityLayout) throws -> [FetchedRow]

    /// - Parameter rows: reads rows by key below a root entity, past the row cache: the conflict resolution needs its
    ///   previous contents (StoreInterface-5).
    package init(
        _ changes: [Change], _ model: ModelLayout, rows: @escaping ([Int64], EntityLayout) throws -> [FetchedRow]
    ) {
        (self.changes, self.model, self.rows) = (changes, model, rows)
    }

    /// One conflict for each change of a row that has another version, with the current row.
    package func conflicts() throws -> [SaveOutcome.Conflict] {
        var current: [ObjectKey: Snapshot] = [:]
        let roots = Dictionary(grouping: changes) { $0.layout.rootIndex }
        for (root, group) in roots.sorted(by: { $0.key < $1.key }) {
            for row in try rows(group.map(\.key), model.layouts[root]) {
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
}

extension ChangeSet {
    /// The changes that a version is compared for.
    package var versionedChanges: [VersionDiagnosis.Change] {
        updates.map { .init(key: $0.key, layout: $0.snapshot.layout, version: $0.baseVersion) }
            + deletes.map { .init(key: $0.key, layout: $0.layout, version: $0.baseVersion) }
            + checks.map { .init(key: $0.key, layout: $0.layout, version: $0.baseVersion) }
    }
}
