// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Calls `willSave` and validates, until no more objects become dirty.

import Foundation
import Synchronization

/// Steps 2 and 3 of a save.
struct SavePreparation {
    private static let mostRounds = 1_000
    private static let mostValidations = 100

    private let tracker: ChangeTracker
    private let notices: ContextNotices
    private let failures: ReadFailures
    private let faults: FaultFulfilment
    private let coordinator: NSPersistentStoreCoordinator
    private let processing: ChangeProcessing

    init(_ state: ContextState, _ coordinator: NSPersistentStoreCoordinator) {
        tracker = state.tracker
        notices = state.notices
        failures = state.failures
        faults = state.faults
        self.coordinator = coordinator
        processing = ChangeProcessing(state)
    }

    func run() throws {
        notices.postWillSave()
        try callWillSave()
        try validate()
        try checkReads()
    }

    /// Called after a merge policy has changed objects: `willSave` may not have been called on some, and they may be
    /// invalid.
    func runAgain() throws {
        try checkReads()
        try callWillSave()
        try validate()
    }

    /// Throws after failed reads.
    func checkReads() throws {
        guard failures.current != nil else { return }
        try failures.check(tracker, RefreshPolicy(faults), coordinator)
    }

    private func callWillSave() throws {
        for _ in 0..<Self.mostRounds {
            let objects = tracker.unsavedObjects { $0.isUnsaved && !$0.flags.contains(.calledWillSave) }
            if objects.isEmpty { return }
            var values = WillSaveValues()
            objects.lookAtEach { object in
                object.flags.insert(.calledWillSave)
                object.willSave()
                if object.flags.contains(.updatedInEvent) { values.note(object) }
            }
            // Usually `willSave` changes nothing.
            if !tracker.hasPending { return }
            // Delete rules, which are applied after all calls, change objects as well.
            processing.run(forSave: true) { event in
                for object in event where values.isOutdated(object) { object.flags.remove(.calledWillSave) }
            }
        }
        throw CoreDataError.storeSave(
            "`willSave` made new changes \(Self.mostRounds) times in a row: let it change only what differs.")
    }

    /// A validation may change values, and thereby make other objects dirty: those are validated as well.
    private func validate() throws {
        guard tracker.settings.validatesBeforeSaving.load(ordering: .relaxed) else { return }
        for _ in 0..<Self.mostValidations {
            try SaveValidation(tracker: tracker, faults: faults).run()
            if tracker.event.isEmpty { return }
            processing.run(forSave: true)
            if tracker.unsaved.isTrue(of: { !$0.isUnsaved || $0.flags.contains(.calledWillSave) }) { return }
            try callWillSave()
        }
        throw CoreDataError.storeSave(
            "Validation made new changes \(Self.mostValidations) times in a row: let it change only what differs.")
    }
}
