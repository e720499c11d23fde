// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The recently changed rows of a store, so that a slow reader does not add older ones to the cache.

/// The latest changes of rows that were reported to a row cache. Objects-R3 and R6.
///
/// # Invariants
/// (1) Moments ascend, and all are later than `floor`.   (2) At most `most` changes are kept.
struct RowChanges {
    static let most = 1_024

    private var list: ContiguousArray<(name: ObjectKey, moment: Int)> = []
    /// Changes up to this moment are no longer recorded one by one.
    private var floor = 0

    mutating func note(_ names: some Sequence<ObjectKey>, _ invalidation: inout RowInvalidation) {
        for name in names {
            invalidation.isAny = true
            if invalidation.moment == floor { return }
            if list.count == Self.most { return forgetAll(&invalidation) }
            list.append((name, invalidation.moment))
        }
    }

    /// Every row may have changed.
    mutating func forgetAll(_ invalidation: inout RowInvalidation) {
        invalidation.isAny = true
        list.removeAll(keepingCapacity: true)
        floor = invalidation.moment
    }

    func indeterminateRows(since moment: Int) -> IndeterminateRows {
        if moment < floor { return IndeterminateRows(isEverything: true) }
        return IndeterminateRows(names: Set(list.reversed().lazy.prefix { $0.moment > moment }.map(\.name)))
    }
}

/// Changes that are reported together.
struct RowInvalidation {
    /// The moment of the clock after their report.
    let moment: Int
    var isAny = false

    init(after last: Int) { moment = last + 1 }
}

/// Rows that may differ from those of a reader.
struct IndeterminateRows {
    var isEverything = false
    var names: Set<ObjectKey> = []

    var isNothing: Bool { !isEverything && names.isEmpty }

    func contains(_ name: ObjectKey) -> Bool { isEverything || names.contains(name) }
}

extension FetchedRow {
    /// Its key with the index of the root entity.
    var name: ObjectKey { ObjectKey(snapshot.layout.rootIndex, key) }
}
