// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The permanent ids that took the place of temporary keys.

import Foundation

/// Permanent ids by the temporary keys that they replaced, for rows that still hold the old key.
///
/// The young ones are kept in any case: a call may be under way with a key that was temporary when it began. Older ones
/// are kept as long as a row holds their key, so that a context that saves for ever does not grow for ever.
struct RenamedKeys {
    private static let mostYoung = 10_000

    private var young: [Int64: NSManagedObjectID] = [:]
    private var old: [Int64: NSManagedObjectID] = [:]
    private var nextSweep = mostYoung

    var isEmpty: Bool { young.isEmpty && old.isEmpty }

    /// Whether it is time for a sweep; so that the cost of all sweeps stays in proportion to the keys.
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
