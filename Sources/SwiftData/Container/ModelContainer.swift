// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The stores of a schema, and the contexts on them.

public import CoreData
public import Foundation
import Synchronization

// Sendable: the coordinator, and all that `lock` guards, may be used on any thread.
/// Opens the stores of a schema, and gives contexts.
///
/// One container for each set of stores is enough for a program; share it.
///
/// ```swift
/// let configuration = ModelConfiguration(url: url)
/// let container = try ModelContainer(for: Album.self, configurations: configuration)  // Page comes along
/// let context = ModelContext(container)
/// ```
///
/// `mainContext` serves the main actor. `ModelContext(_:)` makes a context for the code that calls it, `@ModelActor`
/// one for an actor. A store of an older schema is migrated when it is opened, as far as that can be inferred; a
/// `SchemaMigrationPlan` adds stages with code.
///
/// The initializers throw a `ModelError` with file and cause in its text. `SwiftDataError` matches its kind:
/// `loadIssueModelContainer` for a schema or a store that cannot be used, `backwardMigration` and `unknownSchema` for a
/// store of another version, `duplicateConfiguration` and `configurationSchemaNotFoundInContainerSchema` for
/// configurations that do not fit. The files are then unchanged.
///
/// - Important: may be used on any thread; `mainContext` belongs to the main actor.
/// - Complexity: classes that relationships name are part of the schema without being listed. Containers with the same
///   classes share one model.
/// - SeeAlso: `ModelConfiguration`, `ModelContext`, `Schema`, `persistentStoreCoordinator` for `import CoreData`.
public class ModelContainer: Equatable, @unchecked Sendable {
    /// The classes, with those that their relationships reach.
    public let schema: Schema
    /// The configurations, one for each store.
    public var configurations: Set<ModelConfiguration>
    /// How stores of older versions are migrated; nil for stores that need no plan.
    public let migrationPlan: (any SchemaMigrationPlan.Type)?
    /// The coordinator of the stores, for code that uses `import CoreData` on the same stores at the same time.
    public let persistentStoreCoordinator: NSPersistentStoreCoordinator

    /// Posted when another program, or another container, has saved; the object is the container.
    public static let remoteChange = Notification.Name("ModelContainerRemoteChange")

    let schemaModel: SchemaModel
    let lookUpPlaces = LookUpPlaces()
    /// The custom stores.
    let ownStores: [DataStoreBridge]
    private let lock = NSLock()
    @MainActor private var knownMainContext: ModelContext?
    private var remoteObserver: (any NSObjectProtocol)?

    /// Opens the stores of a schema.
    ///
    /// - Throws: an error that `SwiftDataError.loadIssueModelContainer` matches, or one about configurations or
    ///   versions, each with file and cause in its text. The files are then unchanged.
    public convenience init(
        for schema: Schema, migrationPlan: (any SchemaMigrationPlan.Type)? = nil, configurations: [ModelConfiguration]
    ) throws {
        let all: [any DataStoreConfiguration] = configurations
        try self.init(for: schema, migrationPlan: migrationPlan, configurations: all)
    }

    /// Opens the stores of a schema, custom ones included.
    ///
    /// - Throws: the errors of `init(for:migrationPlan:configurations:)`; errors of a configuration or a store are
    ///   underlying.
    @_disfavoredOverload
    public init(
        for schema: Schema, migrationPlan: (any SchemaMigrationPlan.Type)? = nil,
        configurations: [any DataStoreConfiguration]
    ) throws {
        let all = configurations.isEmpty ? [ModelConfiguration()] : configurations
        try ConfigurationCheck.check(all, schema)
        self.schema = schema
        self.migrationPlan = migrationPlan
        self.configurations = Set(all.compactMap { $0 as? ModelConfiguration })
        do {
            schemaModel = try SchemaModel.of(schema, configurations: all)
        } catch {
            throw ModelError(.loadIssueModelContainer, "the schema cannot be used: \(error)", error)
        }
        persistentStoreCoordinator = NSPersistentStoreCoordinator(managedObjectModel: schemaModel.model)
        var ownStores: [DataStoreBridge] = []
        for configuration in all {
            if let builtIn = configuration as? ModelConfiguration {
                try StoreOpener(builtIn, schemaModel, migrationPlan, isOnly: all.count == 1)
                    .open(in: persistentStoreCoordinator)
            } else {
                ownStores.append(
                    try CustomStoreOpener(schema, migrationPlan, isOnly: all.count == 1)
                        .open(configuration, in: persistentStoreCoordinator))
            }
        }
        self.ownStores = ownStores
        remoteObserver = NotificationCenter.default.addObserver(
            forName: .NSPersistentStoreRemoteChange, object: persistentStoreCoordinator, queue: nil
        ) { [weak self] notification in
            guard let self else { return }
            NotificationCenter.default.post(name: Self.remoteChange, object: self, userInfo: notification.userInfo)
        }
    }

    /// Opens the stores of a schema.
    public convenience init(
        for schema: Schema, migrationPlan: (any SchemaMigrationPlan.Type)? = nil, configurations: ModelConfiguration...
    ) throws {
        try self.init(for: schema, migrationPlan: migrationPlan, configurations: configurations)
    }

    /// Opens the stores of classes; classes that their relationships reach are included.
    public convenience init(
        for types: any PersistentModel.Type..., migrationPlan: (any SchemaMigrationPlan.Type)? = nil,
        configurations: ModelConfiguration...
    ) throws {
        let version = migrationPlan?.schemas.last?.versionIdentifier ?? Schema.Version(1, 0, 0)
        try self.init(
            for: Schema(types, version: version), migrationPlan: migrationPlan, configurations: configurations)
    }

    /// Opens the stores of classes, custom ones included.
    @_disfavoredOverload
    public convenience init(
        for types: any PersistentModel.Type..., configurations: any DataStoreConfiguration...
    ) throws {
        try self.init(for: Schema(types), migrationPlan: nil, configurations: configurations)
    }

    deinit {
        if let remoteObserver { NotificationCenter.default.removeObserver(remoteObserver) }
    }

    /// The context of the main actor, for everything that the user interface shows. It saves by itself
    /// (`autosaveEnabled`).
    ///
    /// ```swift
    /// let context = container.mainContext
    /// context.insert(Album(name: "North"))  // saved soon, without a call
    /// let albums = try context.fetch(FetchDescriptor<Album>(sortBy: [SortDescriptor(\.name)]))
    /// ```
    ///
    /// It is the same context at each access, and merges the saves of other contexts at the end of each turn of the
    /// main queue.
    ///
    /// - Important: belongs to the main actor. A program without a running main queue makes a `ModelContext(_:)`
    ///   instead.
    /// - SeeAlso: `ModelContext.autosaveEnabled`, `ResultsObserver`, `ModelActor()`.
    @MainActor public var mainContext: ModelContext {
        if let knownMainContext { return knownMainContext }
        let context = ModelContext(main: self)
        context.autosaveEnabled = true
        knownMainContext = context
        return context
    }

    /// Deletes all records. The container then has empty stores.
    @available(*, deprecated, renamed: "erase()")
    public func deleteAllData() {
        do {
            try erase()
        } catch {
            ModelLog.warn("The records could not be deleted: \(error)")
        }
    }

    /// Deletes all records. Models of the container lose their records; the container then has empty stores.
    ///
    /// - Throws: the error of a store; then nothing is deleted.
    public func erase() throws {
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        // The batch deletion then finds no records there, or all records of a store that cannot be erased.
        for own in ownStores { announceDeletion(try own.eraseStore()) }
        try context.performAndWait {
            context.persistentStoreCoordinator = persistentStoreCoordinator
            for entity in schemaModel.model.entities where entity.superentity == nil {
                let request = NSBatchDeleteRequest(
                    fetchRequest: NSFetchRequest<any NSFetchRequestResult>(entityName: entity.name ?? ""))
                request.resultType = .resultTypeObjectIDs
                let result = try context.execute(request) as? NSBatchDeleteResult
                announceDeletion(result?.result as? [NSManagedObjectID] ?? [])
            }
        }
    }

    /// Announces deletions that no context made to all contexts.
    func announceDeletion(_ ids: [NSManagedObjectID]) { announce(ids, NSDeletedObjectsKey) }

    /// - Parameter key: the kind of the change, as in did-save notifications.
    func announce(_ ids: [NSManagedObjectID], _ key: String) {
        if ids.isEmpty { return }
        for context in contexts { context.noteRemote([key: ids]) }
    }

    // MARK: Contexts

    private struct Link {
        weak var context: ModelContext?
    }
    private var links: [Link] = []

    var contexts: [ModelContext] { lock.withLock { links.compactMap(\.context) } }

    func register(_ context: ModelContext) {
        lock.withLock {
            links.removeAll { $0.context == nil }
            links.append(Link(context: context))
        }
    }

    /// By identity.
    public static func == (lhs: ModelContainer, rhs: ModelContainer) -> Bool { lhs === rhs }
}

/// Checks configurations for conflicts with one another and with the schema.
private enum ConfigurationCheck {
    static func check(_ all: [any DataStoreConfiguration], _ schema: Schema) throws {
        var names: Set<String> = []
        var files: Set<String> = []
        for configuration in all {
            try configuration.validate()
            let builtIn = configuration as? ModelConfiguration
            if builtIn?.cloudKitDatabase.privateName != nil {
                throw ModelError(
                    .loadIssueModelContainer, "CloudKit is not supported: use `cloudKitDatabase: .none`")
            }
            let isNew = names.insert(configuration.name).inserted
            let file = builtIn.flatMap { $0.isStoredInMemoryOnly ? nil : $0.url.standardizedFileURL.path }
            let isElsewhere = file.map { files.insert($0).inserted } ?? true
            if !isNew || !isElsewhere {
                throw ModelError(
                    .duplicateConfiguration,
                    "two configurations have the name '\(configuration.name)' or the file \(file ?? "-")")
            }
            for entity in configuration.schema?.entities ?? [] where schema.entitiesByName[entity.name] == nil {
                throw ModelError(
                    .configurationSchemaNotFoundInContainerSchema, entity: entity.name,
                    "the configuration '\(configuration.name)' has the class, the container's schema has not")
            }
        }
    }
}
