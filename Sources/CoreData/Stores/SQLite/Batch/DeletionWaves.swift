// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Deletes the rows to which a batch deletion cascades, and notes the relationships that need a check or an update.

/// The rows of a batch deletion as `DeletePropagation` sees them: all rows of one entity in one wave are one object, so
/// a rule is one statement for each relationship.
final class DeletionWaves: DeletionGraph {
    typealias Object = (layout: EntityLayout, rows: DeletedRows.Group)

    private let schema: Schema
    private let deletion: RowDeletion
    private(set) var report: BatchReport
    /// The deleted rows of all waves.
    private(set) var gone: DeletedRows
    private let first: DeletedRows
    private var cascades: [(slot: Int, rows: Object)] = []
    private var (denied, nullified): (Set<Relationship>, Set<Relationship>) = ([], [])

    private struct Relationship: Hashable {
        let layout: Int
        let slot: Int
    }

    /// - Parameter first: the requested rows, which are deleted.
    init(_ first: DeletedRows, _ deletion: RowDeletion, _ schema: Schema, _ report: BatchReport) {
        (self.first, self.deletion, self.schema, self.report) = (first, deletion, schema, report)
        gone = first
    }

    /// Whether remaining destinations of a relationship of deleted rows forbid the deletion.
    func isDenied(_ slot: Int, _ layout: EntityLayout) -> Bool {
        denied.contains(.init(layout: layout.index, slot: slot))
    }

    /// Whether the inverse of a relationship of deleted rows is nullified.
    func isNullified(_ slot: Int, _ layout: EntityLayout) -> Bool {
        nullified.contains(.init(layout: layout.index, slot: slot))
    }

    // MARK: Waves

    func firstWave() -> [Object] { objects(first) }

    private func objects(_ rows: DeletedRows) -> [Object] {
        rows.sorted.map { (schema.model.layouts[$0.index], $0.group) }
    }

    func nextWave() throws -> [Object] {
        var next = DeletedRows()
        for (slot, (layout, rows)) in cascades {
            guard let rows = RowSelection(destinationsOf: slot, layout, rows, schema) else { continue }
            next.add(try deletion.run(rows, &report))
        }
        cascades = []
        gone.add(next)
        return objects(next)
    }

    func apply(_ wave: [Object], _ body: () -> Void) throws -> Bool {
        body()
        return true
    }

    // MARK: Rules

    func layout(of rows: Object) -> EntityLayout { rows.layout }
    func markPropagated(_ rows: Object) {}
    func cascade(_ rows: Object, _ slot: Int) { cascades.append((slot, rows)) }
    func deny(_ rows: Object, _ slot: Int) { denied.insert(.init(layout: rows.layout.index, slot: slot)) }
    func nullify(_ rows: Object, _ slot: Int) { nullified.insert(.init(layout: rows.layout.index, slot: slot)) }
}
