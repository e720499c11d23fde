// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Names the parts of a fetch that are evaluated in memory.

import CoreDataFoundation

extension BoundFetch {
    /// The parts that a store with its rows in memory evaluates itself.
    package var doneOnRows: [FetchExplanation.InMemoryPart] {
        let reason = "the store has its rows in memory"
        var parts: [FetchExplanation.InMemoryPart] = []
        if let predicate { parts.append(.init(kind: .predicate, subject: predicate.withoutValues, reason: reason)) }
        if !sorting.isEmpty { parts.append(order(reason)) }
        if paging?.start != nil { parts.append(position(reason)) }
        if let shaping = dictionaries(reason) { parts.append(shaping) }
        return parts
    }

    package func order(_ reason: String) -> FetchExplanation.InMemoryPart {
        .init(
            kind: .order, subject: sorting.compactMap { $0.descriptor.sortKey?.key }.joined(separator: ", "),
            reason: reason)
    }

    package func position(_ reason: String) -> FetchExplanation.InMemoryPart {
        .init(
            kind: .position,
            subject: prepared.sorting.compactMap { $0.descriptor.sortKey?.key }.joined(separator: ", "),
            reason: reason)
    }

    /// nil unless the fetch returns dictionaries.
    package func dictionaries(_ reason: String) -> FetchExplanation.InMemoryPart? {
        guard case .dictionaries(let request) = result else { return nil }
        return .init(
            kind: .dictionaries, subject: request.columns.map(\.name).joined(separator: ", "), reason: reason)
    }
}

extension PredicateSyntax {
    /// The text with `$value` in place of values, which may be private.
    package var withoutValues: String {
        mapping { expression in
            if case .constant = expression { .variable("value") } else { nil }
        }.description
    }
}
