// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The names of store types, options and metadata keys.

/// A store in a SQLite database.
public let NSSQLiteStoreType = "SQLite"
/// A store in an XML document in Apple's format, read and written whole.
public let NSXMLStoreType = "XML"
/// A store in a binary document, read and written whole. The format is ours, not Apple's: neither framework reads the
/// other's files. `Documentation/Stores.md` describes it.
public let NSBinaryStoreType = "Binary"
/// A store in memory.
public let NSInMemoryStoreType = "InMemory"

/// Metadata: the kind of store.
public let NSStoreTypeKey = "NSStoreType"
/// Metadata: the store's UUID.
public let NSStoreUUIDKey = "NSStoreUUID"
/// Metadata: the version hash of each entity, as `Data` by entity name.
public let NSStoreModelVersionHashesKey = "NSStoreModelVersionHashes"
/// Metadata: the identifiers of the model, as strings.
public let NSStoreModelVersionIdentifiersKey = "NSStoreModelVersionIdentifiers"
/// Metadata: the version of the framework that wrote the store.
public let NSPersistenceFrameworkVersionKey = "NSPersistenceFrameworkVersion"

/// Metadata: the first version of Apple's systems that can read the store. Kept where it stands in a file; nothing else
/// is done with it.
public let NSPersistentStoreOSCompatibility = "NSPersistentStoreOSCompatibility"
/// Metadata: one checksum of all version hashes.
public let NSPersistentStoreModelVersionChecksumKey = "NSStoreModelVersionChecksumKey"

/// Store option: `true` opens the store for reading alone; a save that concerns it then fails with code 513.
public let NSReadOnlyPersistentStoreOption = "NSReadOnlyPersistentStoreOption"
/// Store option: the time in seconds that a locked database is waited for; 5 unless set, 240 by way of a store
/// description.
public let NSPersistentStoreTimeoutOption = "NSPersistentStoreTimeoutOption"
/// Store option: SQLite pragmas by name, set on every connection (`["journal_mode": "DELETE"]`).
public let NSSQLitePragmasOption = "NSSQLitePragmasOption"
/// Store option: run SQLite's `ANALYZE` when the store is added.
public let NSSQLiteAnalyzeOption = "NSSQLiteAnalyzeOption"
/// Store option: run SQLite's `VACUUM` when the store is added.
public let NSSQLiteManualVacuumOption = "NSSQLiteManualVacuumOption"
/// Store option: open the store even though its model's hashes differ.
public let NSIgnorePersistentStoreVersioningOption = "NSIgnorePersistentStoreVersioningOption"
/// Option of `destroyPersistentStore` and `replacePersistentStore`: `true` takes away what is there even if it is no
/// store, or somebody has it open.
public let NSPersistentStoreForceDestroyOption = "NSPersistentStoreForceDestroyOption"
/// Store option: how many connections a SQLite store keeps open at most, the writing one included; 5 unless set. While
/// more threads read than that, it has one for each of them.
public let NSPersistentStoreConnectionPoolMaxSizeKey = "NSPersistentStoreConnectionPoolMaxSize"
/// Store option: check an XML store against its document type. Every XML store is checked to the last reference
/// whenever it is opened, so the option changes nothing, whatever its value.
public let NSValidateXMLStoreOption = "NSValidateXMLStoreOption"
/// Store option: classes that Apple's binary stores may hold. Those of ours hold values of the model's types, and no
/// objects of any class, so the option changes nothing; what transformable attributes may be is said by their
/// transformers.
public let NSBinaryStoreSecureDecodingClasses = "NSBinaryStoreSecureDecodingClasses"
/// Store option: lets Apple's binary stores make objects of any class. Those of ours never do, whatever its value.
public let NSBinaryStoreInsecureDecodingCompatibilityOption = "NSBinaryStoreInsecureDecodingCompatibilityOption"
/// Store option: migrate a store of another model version.
public let NSMigratePersistentStoresAutomaticallyOption = "NSMigratePersistentStoresAutomaticallyOption"
/// Store option: infer the mapping of that migration from the two models.
public let NSInferMappingModelAutomaticallyOption = "NSInferMappingModelAutomaticallyOption"

/// Store option: keep a history of all changes. The option is accepted and has no effect yet; the log says so once.
public let NSPersistentHistoryTrackingKey = "NSPersistentHistoryTrackingKey"
/// Store option: post a notification when another process changes the store. The option is accepted and has no effect yet; the
/// log says so once.
public let NSPersistentStoreRemoteChangeNotificationPostOptionKey = "NSPersistentStoreRemoteChangeNotificationOptionKey"
/// Notification of remote changes: the URL of the store. No such notification is posted yet.
public let NSPersistentStoreURLKey = "storeURL"
