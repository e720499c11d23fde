// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The metadata of a store, and whether its file already contains them.

import Foundation

/// The metadata of one store. Thread-safe, also while a save writes them.
package final class MetadataValues: @unchecked Sendable {  // all properties are guarded by `lock`
    /// Metadata that the next save must write.
    package struct Unsaved {
        package let values: [String: Any]
        fileprivate let change: Int
    }

    private let lock = NSLock()
    private var values: [String: Any] = [:]
    /// The number of times the metadata were set; `savedChange` is the number at the last write.
    private var change = 0
    private var savedChange = 0

    package var current: [String: Any] { lock.withLock { values } }

    package var hasUnsaved: Bool { lock.withLock { change != savedChange } }

    /// The metadata to write; nil when the file is up to date.
    package var unsaved: Unsaved? {
        lock.withLock { change == savedChange ? nil : Unsaved(values: values, change: change) }
    }

    /// Replaces the values by those of the file.
    package func adopt(_ stored: [String: Any]) { lock.withLock { values = stored } }

    /// Replaces the values by those of the file, which already contain all earlier changes.
    package func adoptSaved(_ stored: [String: Any]) {
        lock.withLock {
            values = stored
            savedChange = change
        }
    }

    /// Replaces the values. The next save writes them.
    package func set(_ new: [String: Any]) {
        lock.withLock {
            values = new
            change += 1
        }
    }

    /// Marks values as written. Values set since then remain unsaved.
    package func didSave(_ written: Unsaved) { lock.withLock { savedChange = max(savedChange, written.change) } }
}
