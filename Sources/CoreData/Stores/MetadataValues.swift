// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// What a store says of itself, and whether its file has that already.

import Foundation

/// The metadata of one store. Any thread may read and set it, also while a save writes it.
final class MetadataValues: @unchecked Sendable {  // everything is guarded by `lock`
    /// Metadata that a save is to write.
    struct Unsaved {
        let values: [String: Any]
        fileprivate let change: Int
    }

    private let lock = NSLock()
    private var values: [String: Any] = [:]
    /// How often it was set, and which of these times was written last.
    private var change = 0
    private var savedChange = 0

    var current: [String: Any] { lock.withLock { values } }

    var hasUnsaved: Bool { lock.withLock { change != savedChange } }

    /// What is to be written; nil when the file has it all.
    var unsaved: Unsaved? { lock.withLock { change == savedChange ? nil : Unsaved(values: values, change: change) } }

    /// Replaces the values by those that the file has.
    func adopt(_ stored: [String: Any]) { lock.withLock { values = stored } }

    /// Replaces the values by those that the file has; what was set before is in them.
    func settle(_ stored: [String: Any]) {
        lock.withLock {
            values = stored
            savedChange = change
        }
    }

    /// Replaces the values; the next save writes them.
    func set(_ new: [String: Any]) {
        lock.withLock {
            values = new
            change += 1
        }
    }

    /// What was set in the meantime stays unsaved.
    func didSave(_ written: Unsaved) { lock.withLock { savedChange = max(savedChange, written.change) } }
}
