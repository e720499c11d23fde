// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The stages of a staged migration: versions without code between them, and steps with code before and after.

public import Foundation

/// One stage of a staged migration. Programs use its subclasses.
open class NSMigrationStage: NSObject, @unchecked Sendable {  // set up once, then read
    /// A name for people, without effect. nil unless set.
    open var label: String?

    fileprivate override init() { super.init() }
}

/// Versions of a model from each of which the next one can be inferred.
///
/// ```swift
/// let stage = NSLightweightMigrationStage([first.versionChecksum, second.versionChecksum])
/// ```
open class NSLightweightMigrationStage: NSMigrationStage, @unchecked Sendable {
    /// The checksums of the versions (`NSManagedObjectModel.versionChecksum`), oldest first.
    public final let versionChecksums: [String]

    /// Makes a stage of versions, oldest first.
    public init(_ versionChecksums: [String]) {
        self.versionChecksums = versionChecksums
        super.init()
    }
}

/// A migration between two versions, with code of the program before and after it.
///
/// ```swift
/// let stage = NSCustomMigrationStage(migratingFrom: second, to: third)
/// stage.didMigrateHandler = { manager, _ in
///     guard let context = manager.container?.viewContext else { return }
///     try context.performAndWait { try fillNewAttributes(in: context) }
/// }
/// ```
open class NSCustomMigrationStage: NSMigrationStage, @unchecked Sendable {
    /// The version before the stage.
    public final let currentModel: NSManagedObjectModelReference
    /// The version after the stage.
    public final let nextModel: NSManagedObjectModelReference

    /// Called before the migration, with a container of the current version in the manager. The handler must save. An
    /// error ends the migration; the store is then as before the stage.
    open var willMigrateHandler: ((NSStagedMigrationManager, NSCustomMigrationStage) throws -> Void)?

    /// Called after the migration, with a container of the next version in the manager. The handler must save. An error
    /// ends the migration; the store is then as before the stage.
    open var didMigrateHandler: ((NSStagedMigrationManager, NSCustomMigrationStage) throws -> Void)?

    /// Makes a stage between two versions.
    public init(
        migratingFrom currentModel: NSManagedObjectModelReference, to nextModel: NSManagedObjectModelReference
    ) {
        self.currentModel = currentModel
        self.nextModel = nextModel
        super.init()
    }
}
