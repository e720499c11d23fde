// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Announces changes of `hasChanges` to its observers.

import Foundation

/// The observers of a context's `hasChanges`, and the value that they know. A context without observers has none.
///
/// The value is found by a pass over the changed objects. The pass runs only where the value may have changed, and only
/// for observers.
final class HasChangesObservation {
    private var observers: [ValueObserver] = []
    private(set) var announced: Bool

    init(announced: Bool) { self.announced = announced }

    func add(_ observer: ValueObserver) {
        observers.removeAll { $0.isCancelled || $0 === observer }
        observers.append(observer)
    }

    func announce(_ hasChanges: Bool) {
        guard hasChanges != announced else { return }
        for observer in observers { observer.willChange(nil) }
        announced = hasChanges
        for observer in observers { observer.didChange() }
    }
}
