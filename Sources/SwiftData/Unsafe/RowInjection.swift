// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Hands the row of a record to the model that is being made for it.

import CoreData
import Foundation

/// A row waits in memory of the thread until the stored property of the model takes it.
///
/// # Invariants
/// (1) Only an instance of the row's own root class takes it: initial values of other properties may make models, too.
/// (2) A row that waited while another one was handed over waits again afterwards.
/// (3) The caller of `begin` retains the row until `end`.
enum RowInjection {
    private static let key: pthread_key_t = {
        var key = pthread_key_t()
        pthread_key_create(&key, nil)
        return key
    }()

    /// Stores a row for the next instance.
    ///
    /// - Returns: the row that waited before, for `end`.
    static func begin(_ row: ModelRow) -> UnsafeMutableRawPointer? {
        let before = pthread_getspecific(key)
        pthread_setspecific(key, Unmanaged.passUnretained(row).toOpaque())
        return before
    }

    static func end(_ before: UnsafeMutableRawPointer?) { pthread_setspecific(key, before) }

    static func take(for entity: _ClassEntity) -> ModelRow? {
        guard let waiting = pthread_getspecific(key) else { return nil }
        let row = Unmanaged<ModelRow>.fromOpaque(waiting).takeUnretainedValue()
        guard row.entityCompanion?.root === entity else { return nil }
        pthread_setspecific(key, nil)
        return row
    }
}
