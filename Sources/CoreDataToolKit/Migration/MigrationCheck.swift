// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Decides whether a store fits a version of a model, needs a migration, or cannot be migrated; and migrates it.

package import CoreData
import Foundation

/// Whether a store has a version of a model, or can be migrated to it.
package struct MigrationCheck {
    package enum Verdict: String, Sendable {
        case fits
        case needed
        case impossible
    }

    /// The result of `run()`.
    package enum Outcome {
        case none
        /// With the differences that were repaired.
        case repaired([String])
        /// With the plan, which lists the losses.
        case migrated(MigrationReport, MigrationPlan)
    }

    package let task: MigrationTask
    package let verdict: Verdict
    /// Sentences: the entities that differ, or the obstacles.
    package let reasons: [String]
    /// The differences between the store and a new one of its version, as sentences without a full stop.
    package var drift: [String] { schemaDrift?.differences ?? [] }
    package var repairStatements: [String] { schemaDrift?.statements ?? [] }
    /// nil if there is no migration.
    package let plan: MigrationPlan?
    private let schemaDrift: SchemaDrift?

    /// Reads the store, and changes nothing.
    ///
    /// - Throws: an error for the user if the check is impossible, for example for a damaged file.
    package init(_ task: MigrationTask) throws {
        self.task = task
        do {
            let plan = try Self.plan(task)
            let blocking = task.quarantines ? [] : Self.blocking
            let obstacles = plan.warnings.filter { blocking.contains($0.kind) }.map(\.text)
            // For stores on a server, opening compares the tables.
            let drift = plan.isNeeded || task.url.isServer ? nil : try Self.drift(task)
            self.plan = plan
            schemaDrift = drift
            verdict = !obstacles.isEmpty ? .impossible : plan.isNeeded ? .needed : .fits
            reasons = !obstacles.isEmpty ? obstacles : plan.isNeeded ? task.differences : []
        } catch {
            guard Self.isMissingMigration(error) else { throw error }
            plan = nil
            schemaDrift = nil
            verdict = .impossible
            let text = ToolError.text(of: error)
            reasons = [task.url.isServer ? text : text.replacing(task.location.url.path, with: task.url.path)]
        }
    }

    private static func plan(_ task: MigrationTask) throws -> MigrationPlan {
        try task.location.naming(passing: isMissingMigration) {
            try MigrationPlan(
                forStoreAt: task.location.url, type: task.type, configuration: task.configuration, to: task.model,
                options: task.options)
        }
    }

    private static func drift(_ task: MigrationTask) throws -> SchemaDrift {
        try task.location.naming(passing: isMissingMigration) {
            try SchemaDrift(
                ofStoreAt: task.location.url, type: task.type.rawValue, configuration: task.configuration,
                model: task.model, options: task.options)
        }
    }

    /// A migration fails on rows of these kinds.
    private static let blocking: Set<MigrationPlan.Warning.Kind> = [.missingValue, .duplicate, .conversion]

    /// Whether an error says that there is no migration from the store's version to the wanted one.
    package static func isMissingMigration(_ error: any Error) -> Bool {
        let error = error as NSError
        guard error.domain == NSCocoaErrorDomain else { return false }
        switch error.code {
        case NSMigrationMissingSourceModelError, NSMigrationMissingMappingModelError: return true
        case NSMigrationError:
            let cause = error.userInfo[NSUnderlyingErrorKey] as? NSError
            return cause.map {
                $0.domain == NSCocoaErrorDomain
                    && [NSMigrationError, NSMigrationConstraintViolationError].contains($0.code)
            } ?? false
        default: return false
        }
    }

    /// Migrates the store, or repairs its drift. The task must be one that writes.
    ///
    /// - Parameter progress: shows the work, and cancels it; nil for none.
    /// - Throws: the errors of `MigrationPlan.run(progress:)`. The store is then as before.
    package func run(progress: Progress? = nil) throws -> Outcome {
        if let plan, plan.isNeeded { return .migrated(try plan.run(progress: progress), plan) }
        guard let schemaDrift, !schemaDrift.differences.isEmpty else { return .none }
        try schemaDrift.mend()
        return .repaired(schemaDrift.differences)
    }
}
