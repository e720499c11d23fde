// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Hands the row of a record to the model that is made for it.

import CoreData
import Foundation

/// A row waits in memory of the thread until the stored property of the model takes it.
///
/// # Invariants
/// (1) Only an instance of the row's own root class takes it: initial values of other properties may make models, too.
/// (2) A row that waited while another one was handed over waits again afterwards.
enum RowHandover {
    private struct Waiting {
        let row: Unmanaged<ModelRow>
        /// The record of the topmost class.
        let root: AnyObject?
    }

    private static let key: pthread_key_t = {
        var key = pthread_key_t()
        pthread_key_create(&key, nil)
        return key
    }()

    static func give<T>(_ row: ModelRow, to body: () -> T) -> T {
        var waiting = Waiting(row: Unmanaged.passUnretained(row), root: row.entityCompanion?.root)
        return withUnsafeMutablePointer(to: &waiting) { pointer in
            let before = pthread_getspecific(key)
            pthread_setspecific(key, pointer)
            defer { pthread_setspecific(key, before) }
            return body()
        }
    }

    static func take(for entity: _ClassEntity) -> ModelRow? {
        guard let pointer = pthread_getspecific(key) else { return nil }
        let waiting = pointer.assumingMemoryBound(to: Waiting.self)
        guard waiting.pointee.root === entity else { return nil }
        pthread_setspecific(key, nil)
        return waiting.pointee.row.takeUnretainedValue()
    }
}
