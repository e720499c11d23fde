// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Announces changes of `hasChanges` to its observers.

import Foundation

/// The observers of a context's `hasChanges`, with the last announced value. A context without observers has none.
///
/// Computing the value needs a pass over the changed objects. The pass runs only if the value may have changed, and
/// only with observers.
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
