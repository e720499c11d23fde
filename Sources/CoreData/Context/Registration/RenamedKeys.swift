// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The permanent ids that replaced temporary keys.

import Foundation

/// Permanent ids by the temporary keys that they replaced, for rows that still contain the old key.
///
/// Recent ones are kept in any case, because a call in progress may have begun with the temporary key. Older ones are
/// kept as long as a row contains their key, so that a context that saves repeatedly does not grow without limit.
struct RenamedKeys {
    private static let maximumRecent = 10_000

    private var recent: [Int64: NSManagedObjectID] = [:]
    private var old: [Int64: NSManagedObjectID] = [:]
    private var nextSweep = maximumRecent

    var isEmpty: Bool { recent.isEmpty && old.isEmpty }

    /// Whether a sweep is due; chosen so that the cost of all sweeps is proportional to the number of keys.
    var isDue: Bool { recent.count >= nextSweep }

    subscript(temporary: Int64) -> NSManagedObjectID? {
        get { recent[temporary] ?? old[temporary] }
        set { recent[temporary] = newValue }
    }

    mutating func sweep(keeping held: Set<Int64>) {
        old = old.filter { held.contains($0.key) }
        old.merge(recent) { _, new in new }
        recent = [:]
        nextSweep = max(Self.maximumRecent, old.count)
    }
}
