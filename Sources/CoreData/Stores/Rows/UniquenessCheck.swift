// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Finds rows of one save that violate a uniqueness rule.

/// A uniqueness rule. It applies to the whole hierarchy of the topmost entity that declares it.
package struct UniquenessRule: Hashable {
    package let layoutIndex: Int
    package let names: [String]
}

/// The rows that one save writes, grouped by rule and values. All stores report uniqueness conflicts through it,
/// so their conflicts look alike.
///
/// - `Values`: the values of one rule, in the form in which the store compares them.
package struct UniquenessCheck<Values: Hashable> {
    package struct Group {
        package let rule: UniquenessRule
        package let values: Values
        /// The entity of the first row with these values.
        package let layout: EntityLayout
        /// All rows of the save with these values, in the order in which they were added.
        package fileprivate(set) var keys: [Int64]
    }

    package private(set) var groups: [Group] = []
    /// A save has few rules and many values: a rule is found by comparison, its values by their hash.
    private var rules: [UniquenessRule] = []
    /// For each rule, the group of each value.
    private var positions: [[Values: Int]] = []

    package init() {}

    package mutating func add(_ values: Values, of rule: UniquenessRule, _ key: Int64, _ layout: EntityLayout) {
        let number = rules.firstIndex(of: rule) ?? rules.count
        if number == rules.count {
            rules.append(rule)
            positions.append([:])
        }
        if let position = positions[number][values] {
            groups[position].keys.append(key)
        } else {
            positions[number][values] = groups.count
            groups.append(Group(rule: rule, values: values, layout: layout, keys: [key]))
        }
    }

    /// The positions of the groups of one row, for each rule: a stored record may have the same values.
    package var lone: [[Int]] {
        rules.map { rule in groups.indices.filter { groups[$0].keys.count == 1 && groups[$0].rule == rule } }
            .filter { !$0.isEmpty }
    }

    /// The position of the group with these values.
    package func position(of values: Values, _ rule: UniquenessRule) -> Int? {
        rules.firstIndex(of: rule).flatMap { positions[$0][values] }
    }

    /// One conflict for each group of several rows of the save, or of one row and an unchanged stored record.
    ///
    /// - Parameter holder: the stored record with these values that the save leaves unchanged, for a group and its
    ///   position.
    package func conflicts(holder: (Group, Int) throws -> FetchedRow?) rethrows -> [SaveOutcome.Conflict] {
        try groups.indices.compactMap { position in
            let group = groups[position]
            let record = group.keys.count > 1 ? nil : try holder(group, position)
            guard record != nil || group.keys.count > 1 else { return nil }
            return SaveOutcome.Conflict(
                kind: .uniqueness(names: group.rule.names), key: group.keys[0], layout: group.layout,
                rowKey: record?.key ?? group.keys[0], row: record?.snapshot, rivals: Array(group.keys.dropFirst()))
        }
    }
}

extension EntityLayout {
    /// The constraints of the entity, including inherited ones.
    package func uniquenessRules(_ model: ModelLayout) -> [UniquenessRule] {
        let names = entity.uniquenessConstraintNames
        return names.isEmpty
            ? [] : names.map { UniquenessRule(layoutIndex: declarer(of: $0, in: model).index, names: $0) }
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

/// The values of a row for one rule. Strings are compared byte by byte, as SQLite does.
package struct UniqueValues: Hashable {
    private let values: [AnyHashable]

    /// nil if one of the values is null: such rows violate no rule.
    package init?(_ row: Snapshot, _ rule: UniquenessRule) {
        var values: [AnyHashable] = []
        for name in rule.names {
            guard let slot = row.layout.slot(name) else { return nil }
            if row.layout[slot].kind == .reference {
                guard let reference = row.reference(slot) else { return nil }
                values.append(reference)
            } else {
                guard let key = ValueKey.of(row.value(slot)) else { return nil }
                values.append(key)
            }
        }
        self.values = values
    }
}
