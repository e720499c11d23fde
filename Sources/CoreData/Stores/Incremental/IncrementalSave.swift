// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Saves a change set through a custom incremental store, after all checks that can reject it.

import CoreDataFoundation
import Foundation

/// # Order
/// 1. Versions of updates, deletions and checks: each record is read, and a difference is a conflict.
/// 2. Uniqueness constraints: the records with the same values are fetched, with one request for each rule.
/// 3. The other stores of the save are written; they can be rolled back.
/// 4. The custom store writes all changes, or throws.
/// 5. The written records are read again for their versions. If reading fails the save still succeeds, and each
///    version is incremented.
struct IncrementalSave {
    private let answers: StoreAnswers
    private let changes: ChangeSet
    private var outcome = SaveOutcome()

    init(_ answers: StoreAnswers, _ changes: ChangeSet) {
        self.answers = answers
        self.changes = changes
    }

    mutating func run(_ confirm: () throws -> Bool) throws -> SaveOutcome {
        try checkVersions()
        if outcome.conflicts.isEmpty { try checkUniqueness() }
        guard outcome.conflicts.isEmpty, try confirm() else { return outcome }
        let store = answers.store
        let metadata = store.metadataValues.unsaved
        _ = try store.execute(
            changes.objects?.request ?? emptyRequest, with: changes.objects?.context ?? answers.context)
        if let metadata { store.metadataValues.didSave(metadata) }
        outcome.isWritten = true
        readBack()
        return outcome
    }

    private var emptyRequest: NSSaveChangesRequest {
        NSSaveChangesRequest(inserted: [], updated: [], deleted: [], locked: [])
    }

    // MARK: Versions

    private mutating func checkVersions() throws {
        for update in changes.updates { try check(update.key, update.snapshot.layout, update.baseVersion) }
        for delete in changes.deletes { try check(delete.key, delete.layout, delete.baseVersion) }
        for check in changes.checks { try self.check(check.key, check.layout, check.baseVersion) }
    }

    private mutating func check(_ key: Int64, _ layout: EntityLayout, _ version: Int64) throws {
        let row = try answers.row(key, layout)
        guard row?.snapshot.version != version else { return }
        outcome.conflicts.append(.init(kind: .version, key: key, layout: layout, rowKey: key, row: row?.snapshot))
    }

    // MARK: Uniqueness

    private mutating func checkUniqueness() throws {
        var check = UniquenessCheck<UniqueValues>()
        var wanted: [UniquenessRule: [Snapshot]] = [:]
        func add(_ row: Snapshot, _ key: Int64, _ changed: SlotSet?) {
            for rule in row.layout.uniquenessRules(answers.model) {
                guard let values = UniqueValues(row, rule) else { continue }
                check.add(values, of: rule, key, row.layout)
                let isNew = rule.names.contains { name in
                    row.layout.slot(name).map { changed?.contains($0) ?? true } ?? false
                }
                if isNew { wanted[rule, default: []].append(row) }
            }
        }
        for update in changes.updates { add(update.snapshot, update.key, update.changed) }
        for insert in changes.inserts { add(insert.snapshot, insert.key, nil) }
        var known: [UniquenessRule: [UniqueValues: FetchedRow]] = [:]
        for (rule, rows) in wanted { known[rule] = try holders(of: rule, rows) }
        outcome.conflicts += check.conflicts { group, _ in known[group.rule]?[group.values] }
    }

    /// The stored records with the given values, except those that the save changes.
    private func holders(of rule: UniquenessRule, _ rows: [Snapshot]) throws -> [UniqueValues: FetchedRow] {
        let layout = answers.model.layouts[rule.layoutIndex]
        let fetch = BoundFetch(
            PreparedFetch(model: answers.model, layout: layout),
            matching: rule.names.count == 1
                ? membership(rule.names[0], rows)
                : .or(rows.map { row in .and(rule.names.map { comparison($0, row) }) }))
        guard case .rows(let found) = try FetchAnswer(answers, fetch).outcome() else { return [:] }
        let changed = changedKeys
        var result: [UniqueValues: FetchedRow] = [:]
        for row in found where !changed.contains(ObjectKey(row.snapshot.layout.rootIndex, row.key)) {
            if let values = UniqueValues(row.snapshot, rule) { result[values] = row }
        }
        return result
    }

    private var changedKeys: Set<ObjectKey> {
        var keys: Set<ObjectKey> = []
        for delete in changes.deletes { keys.insert(ObjectKey(delete.layout.rootIndex, delete.key)) }
        for update in changes.updates { keys.insert(ObjectKey(update.snapshot.layout.rootIndex, update.key)) }
        return keys
    }

    private func membership(_ name: String, _ rows: [Snapshot]) -> PredicateSyntax {
        .comparison(ComparisonSyntax(.keyPath(name), .in, .constant(rows.compactMap { value(name, $0) })))
    }

    private func comparison(_ name: String, _ row: Snapshot) -> PredicateSyntax {
        .comparison(ComparisonSyntax(.keyPath(name), .equalTo, .constant(value(name, row))))
    }

    private func value(_ name: String, _ row: Snapshot) -> Any? {
        guard let slot = row.layout.slot(name) else { return nil }
        guard row.layout[slot].kind == .reference else { return row.value(slot) }
        return row.reference(slot).map {
            ObjectArgument(
                key: ObjectKey($0.entityIndex, $0.key), rootIndex: answers.model.layouts[$0.entityIndex].rootIndex,
                isInStore: $0.key > 0)
        }
    }

    // MARK: Afterwards

    private mutating func readBack() {
        for insert in changes.inserts { readBack(insert.key, insert.snapshot) }
        for update in changes.updates { readBack(update.key, update.snapshot) }
    }

    private mutating func readBack(_ key: Int64, _ written: Snapshot) {
        guard let row = (try? answers.row(key, written.layout)) ?? nil else { return }
        outcome.versions[ObjectKey(written.layout.rootIndex, key)] = row.snapshot.version
        if row.snapshot.differsInAttributes(from: written) { outcome.recomputed.append(row) }
    }
}
