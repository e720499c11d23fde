// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Lets programs observe `hasChanges` of a context.

import Foundation

extension NSManagedObjectContext: ObservedObject {
    func value<Value>(for observer: ValueObserver?, _ path: ObservedPath, _ read: () -> Value) -> Value {
        checkQueue()
        let tracker = state.tracker
        let observation = tracker.hasChangesObservation ?? HasChangesObservation(announced: hasChanges)
        if case .typed(let keyPath) = path, keyPath != \NSManagedObjectContext.hasChanges {
            preconditionFailure("Of a context only `hasChanges` can be observed, not \(keyPath).")
        }
        tracker.hasChangesObservation = observation
        if let observer { observation.add(observer) }
        return observation.announced as? Value ?? read()
    }
}
