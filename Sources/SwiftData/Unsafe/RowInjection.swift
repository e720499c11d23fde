// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Hands the row of a record to the model that is being made for it.

import CoreData
import Foundation

/// A row waits in memory of the thread until the stored property of the model takes it.
///
/// # Invariants
/// (1) Only an instance of the row's own root class takes it: initial values of other properties may make models, too.
/// (2) A row that waited while another one was handed over waits again afterwards.
/// (3) The caller of `hand` retains the row until it returns.
final class RowInjection {
    private var row: Unmanaged<ModelRow>?
    /// The class of the row, by identity.
    private var root: ObjectIdentifier?

    private static let key: pthread_key_t = {
        var key = pthread_key_t()
        pthread_key_create(&key) { place in
            if let place { Unmanaged<RowInjection>.fromOpaque(place).release() }
        }
        return key
    }()

    /// That of this thread, which holds it to its end.
    static var current: RowInjection {
        if let place = pthread_getspecific(key) {
            return Unmanaged<RowInjection>.fromOpaque(place).takeUnretainedValue()
        }
        let made = RowInjection()
        pthread_setspecific(key, Unmanaged.passRetained(made).toOpaque())
        return made
    }

    /// Calls a body that makes the model of a row.
    ///
    /// - Parameter root: data of the row's root class.
    @inline(__always) func hand<Model>(_ row: ModelRow, of root: AnyObject, _ body: () -> Model) -> Model {
        let (waiting, its) = (self.row, self.root)
        self.row = Unmanaged.passUnretained(row)
        self.root = ObjectIdentifier(root)
        let model = body()
        (self.row, self.root) = (waiting, its)
        return model
    }

    static func take(for entity: _ClassEntity) -> ModelRow? {
        guard let place = pthread_getspecific(key) else { return nil }
        return Unmanaged<RowInjection>.fromOpaque(place)._withUnsafeGuaranteedRef { place in
            guard let row = place.row, place.root == ObjectIdentifier(entity) else { return nil }
            place.row = nil
            return row.takeUnretainedValue()
        }
    }
}
