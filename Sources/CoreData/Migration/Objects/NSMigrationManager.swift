// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The public class of migrations by objects: one source store becomes one destination store.

public import Foundation

/// Migrates a store to another version of its model by a mapping model, object by object.
///
/// ```swift
/// let manager = NSMigrationManager(sourceModel: old, destinationModel: new)
/// try manager.migrateStore(from: url, type: .sqlite, mapping: mapping, to: newURL, type: .sqlite)
/// ```
///
/// The source is never changed. The destination appears when the migration is complete. A manager does one migration
/// after another. `Documentation/Internals/Migration.md` has the order of the work.
///
/// - Important: use it on one thread at a time. `cancelMigrationWithError(_:)` may be called on any thread.
open class NSMigrationManager: NSObject {
    /// The version of the model that the source was written with.
    public final let sourceModel: NSManagedObjectModel
    /// The version of the model that the destination gets.
    public final let destinationModel: NSManagedObjectModel

    // Implicitly unwrapped as in Apple's interface.
    // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
    /// The mapping model of the last migration; nil before the first one and after `reset()`.
    open var mappingModel: NSMappingModel! { state.mappingModel }

    /// The context with the source objects. Traps while no migration runs.
    open var sourceContext: NSManagedObjectContext { session.source.context }

    /// The context with the new objects. Traps while no migration runs.
    open var destinationContext: NSManagedObjectContext { session.destination.context }

    /// The entity mapping that is being worked on. Traps while no migration runs.
    open var currentEntityMapping: NSEntityMapping {
        guard let mapping = state.currentMapping else {
            preconditionFailure("There is no current entity mapping: ask for it in a method of a migration policy.")
        }
        return mapping
    }

    /// The completed part, from 0 to 1; 0 before and after a migration. Can be observed.
    open var migrationProgress: Float { state.progress.value }

    /// Values of the program for its policies. nil unless set.
    open var userInfo: [AnyHashable: Any]?

    /// Has no effect: `migrateStore` always migrates by objects, and calls all methods of policies. `true` unless set.
    ///
    /// In Apple's framework `true` lets a SQLite store with an inferred mapping model migrate by statements. Here a
    /// store migrates by statements if it is added with the option for automatic migration; the rows are the same.
    open var usesStoreSpecificMigrationManager = true

    final let state = MigrationState()

    /// Makes a manager for stores of one version.
    ///
    /// - Parameters:
    ///   - sourceModel: the version of the stores.
    ///   - destinationModel: the version that they become.
    public init(sourceModel: NSManagedObjectModel, destinationModel: NSManagedObjectModel) {
        self.sourceModel = sourceModel
        self.destinationModel = destinationModel
        super.init()
    }

    /// Migrates a store to a file. The source does not change; its write-ahead log is read as well.
    ///
    /// If the destination is a store of the destination model, the objects are added to it, so a large store can be
    /// migrated in several passes.
    ///
    /// - Parameters:
    ///   - sourceURL: the store to migrate.
    ///   - sStoreType: its type, such as `NSSQLiteStoreType`.
    ///   - sOptions: options for opening it.
    ///   - mappings: the mapping model; nil throws 134140.
    ///   - dURL: the place of the new store.
    ///   - dStoreType: its type.
    ///   - dOptions: options for opening it.
    /// - Throws: 134140 for a mapping model that does not fit the models, 134150 for a source that cannot be used,
    ///   134160 for a destination that cannot be used, 134170 for a policy class or a function that does not exist, the
    ///   error given to `cancelMigrationWithError(_:)`, and 134110 with the cause as underlying error otherwise. After
    ///   an error the destination is unchanged.
    /// - Complexity: in proportion to the objects. To a SQLite store memory is bounded: a few thousand objects at a
    ///   time and 40 bytes for each object.
    open func migrateStore(
        from sourceURL: URL, sourceType sStoreType: String, options sOptions: [AnyHashable: Any]? = nil,
        with mappings: NSMappingModel?, toDestinationURL dURL: URL, destinationType dStoreType: String,
        destinationOptions dOptions: [AnyHashable: Any]? = nil
    ) throws {
        try MigrationExecution(
            self, source: StoreLocation(url: sourceURL, type: sStoreType, options: sOptions),
            destination: StoreLocation(url: dURL, type: dStoreType, options: dOptions)
        ).run(mappings)
    }

    /// Migrates a store to a file; see `migrateStore(from:sourceType:options:with:toDestinationURL:destinationType:
    /// destinationOptions:)`.
    public final func migrateStore(
        from sourceURL: URL, type sourceStoreType: NSPersistentStore.StoreType,
        options sourceOptions: [AnyHashable: Any]? = nil, mapping: NSMappingModel, to destinationURL: URL,
        type destinationStoreType: NSPersistentStore.StoreType, options destinationOptions: [AnyHashable: Any]? = nil
    ) throws {
        try migrateStore(
            from: sourceURL, sourceType: sourceStoreType.rawValue, options: sourceOptions, with: mapping,
            toDestinationURL: destinationURL, destinationType: destinationStoreType.rawValue,
            destinationOptions: destinationOptions)
    }

    /// Forgets associations, mapping model and progress. Each migration starts with a reset.
    ///
    /// Traps in a method of a policy, because the running migration needs them.
    open func reset() {
        precondition(state.session == nil, "A migration runs: reset its manager when it has ended.")
        state.reset()
    }

    /// Ends the running migration with an error. Has no effect if no migration runs.
    ///
    /// May be called on any thread, and in methods of policies. The migration ends before the next object.
    ///
    /// - Parameter error: the error that `migrateStore` throws.
    open func cancelMigrationWithError(_ error: any Error) { state.cancellation.cancel(error) }

    /// The entity of the source that a mapping names; nil for a mapping without one.
    ///
    /// While a migration runs it is the entity of `sourceContext`.
    open func sourceEntity(for mEntity: NSEntityMapping) -> NSEntityDescription? {
        mEntity.sourceEntityName.flatMap { (state.session?.source.model ?? sourceModel).entitiesByName[$0] }
    }

    /// The entity of the destination that a mapping names; nil for a mapping without one.
    ///
    /// While a migration runs it is the entity of `destinationContext`.
    open func destinationEntity(for mEntity: NSEntityMapping) -> NSEntityDescription? {
        mEntity.destinationEntityName
            .flatMap { (state.session?.destination.model ?? destinationModel).entitiesByName[$0] }
    }

    /// Evaluates FUNCTION($manager, 'selector', …) in the expressions of a mapping model.
    ///
    /// An addition to Apple's API: an override evaluates further selectors, and calls super for all others.
    ///
    /// - Parameters:
    ///   - selector: the name in the expression, with its colons.
    ///   - arguments: the values of the further arguments; nil for null.
    /// - Throws: 134170 for an unknown selector or unsuitable arguments, with the selector in it.
    open func value(ofFunction selector: String, arguments: [Any?]) throws -> Any? {
        try ManagerFunctions(self).value(selector, arguments)
    }

    /// The running migration.
    final var session: MigrationSession {
        guard let session = state.session else {
            preconditionFailure("No migration runs: use contexts and associations in the methods of a policy.")
        }
        return session
    }
}
