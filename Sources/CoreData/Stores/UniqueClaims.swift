// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Which rows of a save want the same unique values.

/// A uniqueness constraint, on the whole family of the topmost entity that declares it.
struct UniqueConstraint: Hashable {
    let layoutIndex: Int
    let names: [String]
}

/// The rows that one save writes, by constraint and values. What stores tell of uniqueness is made here, so that all of
/// them tell the same.
///
/// - `Values`: the values of one constraint in the form in which the store compares them.
struct UniqueClaims<Values: Hashable> {
    struct Claim {
        let constraint: UniqueConstraint
        let values: Values
        /// Of the first row that wants the values.
        let layout: EntityLayout
        /// All rows of the save that want them, in the order in which they were added.
        fileprivate(set) var keys: [Int64]
    }

    private struct Subject: Hashable {
        let constraint: UniqueConstraint
        let values: Values
    }

    private var claims: [Claim] = []
    private var positions: [Subject: Int] = [:]

    mutating func add(_ values: Values, of constraint: UniqueConstraint, _ key: Int64, _ layout: EntityLayout) {
        let subject = Subject(constraint: constraint, values: values)
        if let position = positions[subject] {
            claims[position].keys.append(key)
        } else {
            positions[subject] = claims.count
            claims.append(Claim(constraint: constraint, values: values, layout: layout, keys: [key]))
        }
    }

    /// One conflict for each claim that several rows of the save make, or one row and a record that stays as it is.
    ///
    /// - Parameter holder: the record that has the values of a claim in the store and is not changed by the save.
    func conflicts(holder: (Claim) throws -> FetchedRow?) rethrows -> [SaveOutcome.Conflict] {
        try claims.compactMap { claim in
            let record = claim.keys.count > 1 ? nil : try holder(claim)
            guard record != nil || claim.keys.count > 1 else { return nil }
            return SaveOutcome.Conflict(
                kind: .uniqueness(constraint: claim.constraint.names), key: claim.keys[0], layout: claim.layout,
                rowKey: record?.key ?? claim.keys[0], row: record?.snapshot, rivals: Array(claim.keys.dropFirst()))
        }
    }
}

extension EntityLayout {
    /// Own and inherited ones.
    func uniqueConstraints(_ model: ModelLayout) -> [UniqueConstraint] {
        let names = entity.uniquenessConstraintNames
        return names.isEmpty
            ? [] : names.map { UniqueConstraint(layoutIndex: declarer(of: $0, in: model).index, names: $0) }
    }

    private func declarer(of names: [String], in model: ModelLayout) -> EntityLayout {
        var result = self
        while result.superIndex >= 0, model.layouts[result.superIndex].entity.uniquenessConstraintNames.contains(names)
        {
            result = model.layouts[result.superIndex]
        }
        return result
    }
}

/// The values that a row has for a constraint; strings byte by byte, as SQLite compares them.
struct UniqueValues: Hashable {
    private let values: [AnyHashable]

    /// nil when one of them is null: such rows have no rival.
    init?(_ row: Snapshot, _ constraint: UniqueConstraint) {
        var values: [AnyHashable] = []
        for name in constraint.names {
            guard let slot = row.layout.slot(name) else { return nil }
            if row.layout[slot].kind == .reference {
                guard let reference = row.reference(slot) else { return nil }
                values.append(reference)
            } else {
                guard let value = row.value(slot) as? AnyHashable else { return nil }
                values.append((value as? String).map { AnyHashable(Array($0.utf8)) } ?? value)
            }
        }
        self.values = values
    }
}
