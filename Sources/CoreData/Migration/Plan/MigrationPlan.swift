// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The plan of a migration: its steps, statements, warnings and costs, found without changing the store.

public import Foundation

/// The migration that a store needs, before it happens.
///
///     let plan = try MigrationPlan(forStoreAt: url, type: .sqlite, to: model)
///     for warning in plan.warnings { print(warning.text) }     // "Book.subtitle is removed: 12 rows lose a value."
///     if plan.isNeeded { let report = try plan.run() }
///
/// Making a plan reads the store, which may be in use, and writes nothing. It counts the rows that lose each removed or
/// converted property, which takes a pass over their tables. For a migration by objects it forecasts no validation
/// rules except mandatory values. For a mapping model of the program it only names the entities that no entity mapping
/// continues, because the model's expressions and policies decide about values.
public struct MigrationPlan: Sendable {
    /// How a step migrates the store.
    public enum Way: String, Sendable {
        /// SQL in one transaction, in place.
        case statements
        /// A mapping model, object by object.
        case objects
        /// A custom stage of `NSStagedMigrationManager`.
        case stage
    }

    /// A migration from one version to the next.
    public struct Step: Sendable, Equatable {
        /// `NSManagedObjectModel.versionChecksum` of the source model.
        public let sourceChecksum: String
        /// `NSManagedObjectModel.versionChecksum` of the destination model.
        public let destinationChecksum: String
        /// How the step migrates the store.
        public let way: Way
        /// The statements in order; empty for a step by objects. Metadata and the copy of the model are written after
        /// them.
        public let statements: [String]
    }

    /// Rows that lose something, or that the migration cannot bring over.
    public struct Warning: Sendable {
        /// The kinds of warnings.
        public enum Kind: String, Sendable {
            /// Values of a removed attribute or relationship, or rows of a removed entity.
            case dataLoss
            /// Rows without a value for a mandatory attribute. The migration fails.
            case missingValue
            /// Rows that break a new uniqueness constraint. The migration fails.
            case duplicate
            /// Numbers that do not fit their new type. The migration fails.
            case conversion
            /// Rows that lose all but one of several members.
            case cardinality
        }

        /// The kind of loss or failure.
        public let kind: Kind
        /// The name of the entity in the destination model, or in the source model for a removed one.
        public let entity: String
        /// nil if the warning concerns a whole entity. Several names are joined with commas.
        public let property: String?
        /// The number of affected rows.
        public let rows: Int
        /// The warning as a sentence.
        public let text: String
    }

    /// A table with rows to write, or an entity with objects to create.
    public struct TableCost: Sendable {
        /// The name of the table in the destination; in a step by objects, the name of the entity.
        public let table: String
        /// The rows of the source table, or of the source entity.
        public let rows: Int
        /// The size of the source table with its indexes. In a step by objects, the share of the entity in the size of
        /// the file if all rows have the same size.
        public let bytes: Int64
        /// Whether the table is rebuilt instead of altered in place.
        public let isRebuilt: Bool
    }

    /// The steps; empty if the store already has the version of the model.
    public let steps: [Step]
    /// The number of steps, from the first one on, that `warnings`, `costs` and `bytesNeeded` cover. A step after a
    /// mapping model of the program starts with rows that the mapping model creates, which cannot be counted yet.
    public let countedSteps: Int
    /// Empty if nothing is lost and every row can be migrated. With `MigrationOption.quarantine`, rows that cannot be
    /// migrated do not end the migration.
    public let warnings: [Warning]
    /// The tables with rows to write; empty if none is written.
    public let costs: [TableCost]
    /// The free bytes on the disk that the migration requires. On a server they are an estimate, which no migration
    /// compares with the disk.
    public let bytesNeeded: Int64
    /// False if the store already has the version of the model.
    public var isNeeded: Bool { !steps.isEmpty }

    private let migration: PlannedMigration

    /// Plans the migration of a store.
    ///
    /// - Parameters:
    ///   - url: the file of the store, which is only read.
    ///   - type: SQLite, XML, binary, or PostgreSQL.
    ///   - configuration: the configuration of the model with the entities of the store; nil for all entities.
    ///   - model: the version to migrate to. Making the plan freezes it.
    ///   - options: the options for opening the store, for example `MigrationOption.versions`. Inferring is always on.
    /// - Throws: 260, 259 and similar codes for a file that is not a store, 134130 without a source model, 134140 if no
    ///   mapping can be inferred, 134080 for an unknown configuration.
    public init(
        forStoreAt url: URL, type: NSPersistentStore.StoreType, configuration: String? = nil,
        to model: NSManagedObjectModel, options: [AnyHashable: Any]? = nil
    ) throws {
        let migration = try PlannedMigration(url, type.rawValue, configuration, model, options)
        self.migration = migration
        guard let contents = try migration.contents() else {
            (steps, countedSteps, warnings, costs, bytesNeeded) = ([], 0, [], [], 0)
            return
        }
        steps = contents.steps
        countedSteps = contents.countedSteps
        warnings = contents.warnings
        costs = contents.costs
        bytesNeeded = contents.bytesNeeded
    }

    /// Migrates the store as planned.
    ///
    /// - Parameter progress: shows the written rows, and cancels the migration (`MigrationOption.progress`); nil for
    ///   the one in the options.
    /// - Throws: 134120 for a cancelled migration, 134100 if the version or the tables of the store have changed since
    ///   the plan was made, 134090 if it is in use, and the errors of opening with migration. The store is then
    ///   unchanged.
    @discardableResult
    public func run(progress: Progress? = nil) throws -> MigrationReport {
        try migration.run(expecting: steps, progress)
    }
}

extension MigrationPlan: CustomStringConvertible {
    /// The statements of each step, or how it migrates; then the warnings, one per line.
    public var description: String {
        guard isNeeded else { return "The store has this version already." }
        let lines = steps.flatMap { $0.way == .statements ? $0.statements : ["-- by \($0.way.rawValue)"] }
        let uncounted =
            countedSteps < steps.count
            ? ["-- Rows and warnings are counted for \(countedSteps) of \(steps.count) steps."] : []
        return (lines + warnings.map { "-- \($0.text)" } + uncounted).joined(separator: "\n")
    }
}
