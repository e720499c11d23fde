// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The permanent ids that replaced temporary keys.

import Foundation

/// Permanent ids by the temporary keys that they replaced, for rows that still contain the old key.
///
/// Recent ones are kept in any case, because a call in progress may have begun with the temporary key. Older ones are
/// kept as long as a row contains their key, so that a context that saves repeatedly does not grow without limit.
struct RenamedKeys {
    private static let mostYoung = 10_000

    private var young: [Int64: NSManagedObjectID] = [:]
    private var old: [Int64: NSManagedObjectID] = [:]
    private var nextSweep = mostYoung

    var isEmpty: Bool { young.isEmpty && old.isEmpty }

    /// Whether a sweep is due; chosen so that the cost of all sweeps is proportional to the number of keys.
    var isDue: Bool { young.count >= nextSweep }

    subscript(temporary: Int64) -> NSManagedObjectID? {
        get { young[temporary] ?? old[temporary] }
        set { young[temporary] = newValue }
    }

    mutating func sweep(keeping held: Set<Int64>) {
        old = old.filter { held.contains($0.key) }
        old.merge(young) { _, new in new }
        young = [:]
        nextSweep = max(Self.mostYoung, old.count)
    }
}
