// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Fills snapshots from the rows of a source, by the steps of a plan: the innermost loop of a fetch.

import Foundation

/// A decoder of one database has the head of each row for itself: key, entity and version.
package protocol SnapshotDecoder: ~Copyable {
    var plan: RowPlan { get }
    var schema: Schema { get }
    /// The folder of large data; nil if the plan reads none.
    var externalFolder: URL? { get }
}

extension SnapshotDecoder where Self: ~Copyable {
    /// The source is a parameter of the function, not an associated type: the decoder of PostgreSQL is in another
    /// module, where the compiler does not specialise this loop, and it would look up the type for each row.
    ///
    /// - Parameter base: the place of the plan's first column.
    package func decode<Source: ColumnSource>(
        _ source: Source, _ steps: [ColumnStep], base: Int, into snapshot: Snapshot
    ) {
        var filling = SnapshotFilling(snapshot)
        let strings = plan.strings
        for step in steps {
            let (slot, word) = (Int(step.slot), Int(step.word))
            let column = base + Int(step.column)
            switch step.kind {
            case .integer:
                if let value = source.integer(at: column) { filling.set(value, slot, word: word) }
            case .boolean:
                if let value = source.integer(at: column) { filling.set(value != 0, slot, bit: word) }
            case .real:
                if let value = source.number(at: column) { filling.set(value, slot, word: word) }
            case .date:
                if let value = source.date(at: column) { filling.set(value, slot, word: word) }
            case .string:
                if let value = source.text(at: column, by: strings) { filling.set(value, slot, word: word) }
            case .key:
                let key = source.key(at: column)
                if key > 0 { filling.set(key, slot, word: word) }
            case .keyAndEntity:
                let key = source.key(at: column)
                if key <= 0 { continue }
                let place = snapshot.place(slot)
                var entity = Int(place.destination)
                if let found = source.entity(at: base + Int(step.extra), schema), found >= place.destination,
                    found < place.destinationEnd
                {
                    entity = found
                }
                filling.set(key, entity: entity, slot, word: word)
            case .boxed, .external, .composite:
                if let box = box(source, step, column) { filling.set(box, slot, word: word) }
            }
        }
    }

    private func box<Source: ColumnSource>(_ source: Source, _ step: ColumnStep, _ column: Int) -> ValueBox? {
        switch step.kind {
        case .external: return source.largeData(at: column, in: externalFolder)
        case .composite:
            let composite = plan.composites[Int(step.extra)]
            return source.composite(composite.leaves, at: column, in: externalFolder)
                ?? (composite.isMandatory ? ValueBox([String: Any]()) : nil)
        default:
            let coding = plan.codings[Int(step.extra)]
            if case .transformable(let transform) = coding {
                return source.bytes(at: column).map { ValueBox(encoded: $0, transform) }
            }
            return source.value(coding, at: column).map { ValueBox($0) }
        }
    }
}
