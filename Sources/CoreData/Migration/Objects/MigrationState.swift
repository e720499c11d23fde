// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The state of one migration manager: the running migration, its progress, and its cancellation.

import CoreDataFoundation
import Foundation
import Synchronization

/// Used on the thread of the migration, except for the cancellation.
final class MigrationState {
    /// nil while no migration runs.
    var session: MigrationSession?
    var mappingModel: NSMappingModel?
    var currentMapping: NSEntityMapping?
    let progress = ObservedProgress()
    let cancellation = Cancellation()
    /// The progress of the program that opens the store; nil for a manager that the program created.
    var shown: Progress? {
        get { cancellation.progress }
        set { cancellation.progress = newValue }
    }
    /// Collects the objects that cannot be migrated; nil if such an object makes the migration fail.
    var quarantine: ObjectQuarantine?
    /// Empties a destination without a file, before a pass that follows another one.
    var emptyDestination: () throws -> Void = {}
    /// Whether a migration counts the rows of both stores at its end.
    var countsRows = false
    /// The row counts of the last migration, if it counted them.
    var rows = MigratedRows()
    /// Source objects that get an entry in `partners` at the end.
    var followed: Set<MigratedKey> = []
    /// The destination objects that the last migration found for them.
    var partners: [MigratedKey: MigratedKey] = [:]

    func reset() {
        partners = [:]
        mappingModel = nil
        currentMapping = nil
        progress.set(0)
        rows = MigratedRows()
    }
}

extension MigrationState {
    /// Reports the share of the work: each source object counts twice, when it is converted and when it is linked.
    func report(_ share: Double) {
        progress.set(max(progress.value, Float(share)))
        guard let shown else { return }
        let done = Int64(share * Double(shown.totalUnitCount))
        if done > shown.completedUnitCount { shown.completedUnitCount = done }
    }
}

/// The error with which a program cancels a migration. Thread-safe.
final class Cancellation: Sendable {
    private struct Wish {
        var isRunning = false
        var error: (any Error)?
    }

    private let wish = Mutex(Wish())
    private let shown = Mutex<Progress?>(nil)

    /// Cancelling this progress cancels the migration; nil if the program gave none.
    var progress: Progress? {
        get { shown.withLock { $0 } }
        set { shown.withLock { $0 = newValue } }
    }

    func begin() { wish.withLock { $0 = Wish(isRunning: true) } }

    /// The error of the ended migration; nil if it was not cancelled.
    func end() -> (any Error)? {
        wish.withLock { wish in
            defer { wish = Wish() }
            return wish.error
        }
    }

    /// Only the first error is kept.
    func cancel(_ error: any Error) {
        wish.withLock { wish in
            if wish.isRunning, wish.error == nil { wish.error = error }
        }
    }

    /// - Throws: the error of the cancellation.
    func check() throws {
        if let error = wish.withLock({ $0.error }) { throw error }
        if shown.withLock({ $0?.isCancelled ?? false }) { throw CocoaError(.migrationCancelled) }
    }
}

/// The progress of a migration, with its observers.
final class ObservedProgress {
    private(set) var value: Float = 0
    private var observers: [ValueObserver] = []

    func add(_ observer: ValueObserver) {
        observers.removeAll { $0.isCancelled || $0 === observer }
        observers.append(observer)
    }

    func set(_ new: Float) {
        guard new != value else { return }
        let observers = observers
        for observer in observers { observer.willChange(nil) }
        value = new
        for observer in observers { observer.didChange() }
    }
}

extension NSMigrationManager: ObservedObject {
    func value<Value>(for observer: ValueObserver?, _ path: ObservedPath, _ read: () -> Value) -> Value {
        if case .typed(let keyPath) = path, keyPath != \NSMigrationManager.migrationProgress {
            preconditionFailure("Of a migration manager only `migrationProgress` can be observed, not \(keyPath).")
        }
        if let observer { state.progress.add(observer) }
        return read()
    }
}
