// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Tells those who observe a context's `hasChanges` when it turns.

import Foundation

/// What observers were last told, and who they are. A context that nobody observes has none.
///
/// Whether anything is unsaved is found out by looking at the changed objects, which takes time: so it is looked for
/// only where it may have turned, and only while somebody observes it.
final class HasChangesObservation {
    private var observers: [ValueObserver] = []
    private(set) var told: Bool

    init(told: Bool) { self.told = told }

    func add(_ observer: ValueObserver) {
        observers.removeAll { $0.isCancelled || $0 === observer }
        observers.append(observer)
    }

    func tell(_ hasChanges: Bool) {
        guard hasChanges != told else { return }
        for observer in observers { observer.willChange(nil) }
        told = hasChanges
        for observer in observers { observer.didChange() }
    }
}

extension NSManagedObjectContext: ObservedObject {
    func value<Value>(for observer: ValueObserver?, _ path: ObservedPath, _ read: () -> Value) -> Value {
        checkQueue()
        let observation = hasChangesObservation ?? HasChangesObservation(told: hasChanges)
        if case .typed(let keyPath) = path, keyPath != \NSManagedObjectContext.hasChanges {
            preconditionFailure("Of a context only `hasChanges` can be observed, not \(keyPath).")
        }
        hasChangesObservation = observation
        if let observer { observation.add(observer) }
        return observation.told as? Value ?? read()
    }

    /// Tells observers of `hasChanges`, if there are any, in case it has turned.
    ///
    /// - Parameter known: what it is now; nil looks.
    @inline(__always) func announceHasChanges(_ known: Bool? = nil) {
        if let hasChangesObservation { hasChangesObservation.tell(known ?? hasChanges) }
    }
}
