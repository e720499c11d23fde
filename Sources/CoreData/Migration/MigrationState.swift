// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The state of one migration manager: the running migration, its progress, and the wish to end it.

import CoreDataFoundation
import Foundation
import Synchronization

/// Used on the thread of the migration, but for the cancellation.
final class MigrationState {
    /// nil while no migration runs.
    var session: MigrationSession?
    var mappingModel: NSMappingModel?
    var currentMapping: NSEntityMapping?
    let progress = ObservedProgress()
    let cancellation = Cancellation()
    /// The progress of the program that opens the store; nil for a manager of its own.
    var shown: Progress? {
        get { cancellation.progress }
        set { cancellation.progress = newValue }
    }
    /// Takes the objects that cannot come along; nil for a migration that fails on them.
    var quarantine: ObjectQuarantine?
    /// Whether a migration counts the rows of both stores at its end.
    var countsRows = false
    /// The rows of the last migration, if they are counted.
    var rows = MigratedRows()
    /// Source objects that get an entry in `partners` at the end.
    var followed: Set<MigratedKey> = []
    /// The partners that the last migration found.
    var partners: [MigratedKey: MigratedKey] = [:]

    func reset() {
        partners = [:]
        mappingModel = nil
        currentMapping = nil
        progress.set(0)
        rows = MigratedRows()
    }
}

/// The error that a program wants a migration to end with. Thread-safe.
final class Cancellation: Sendable {
    private struct Wish {
        var isRunning = false
        var error: (any Error)?
    }

    private let wish = Mutex(Wish())
    private let shown = Mutex<Progress?>(nil)

    /// Cancels the migration when it is cancelled; nil for none.
    var progress: Progress? {
        get { shown.withLock { $0 } }
        set { shown.withLock { $0 = newValue } }
    }

    func begin() { wish.withLock { $0 = Wish(isRunning: true) } }

    /// The error of the ended migration; nil if nobody cancelled it.
    func end() -> (any Error)? {
        wish.withLock { wish in
            defer { wish = Wish() }
            return wish.error
        }
    }

    /// The first wish counts.
    func cancel(_ error: any Error) {
        wish.withLock { wish in
            if wish.isRunning, wish.error == nil { wish.error = error }
        }
    }

    /// - Throws: the error of the wish.
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
