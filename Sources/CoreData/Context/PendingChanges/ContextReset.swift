// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Removes all objects from a context.

import Foundation

struct ContextReset {
    private let tracker: ChangeTracker
    private let failures: ReadFailures
    private let undo: UndoHistory
    private let scope: ReadScope
    private let faults: FaultFulfilment?
    /// nil before the first use of an object.
    private let registry: ObjectRegistry?
    private let processing: ChangeProcessing

    init(_ state: ContextState) {
        tracker = state.tracker
        failures = state.failures
        undo = state.undo
        scope = state.scope
        faults = state.storedFaults
        registry = state.storedRegistry
        processing = ChangeProcessing(state)
    }

    func run() {
        scope.restart()
        guard let registry else { return }
        let objects = registry.objects()
        let ids = objects.map(\.ownID)
        undo.endEpoch()
        tracker.clear()
        _ = tracker.endEvent()
        tracker.retained.releaseAll()
        for object in objects {
            registry.unregister(object)
            object.becomeFault()
        }
        registry.dropRemovedStores()
        failures.forget()
        faults?.forgetRuns()
        tracker.announceHasChanges()
        if !ids.isEmpty {
            tracker.invalidatedAll = ids
            processing.run()
        }
    }
}
