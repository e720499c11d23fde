// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The names of store types, options and metadata keys.

/// A store in a SQLite database.
public let NSSQLiteStoreType = "SQLite"
/// A store in an XML document in Apple's format, read and written whole.
public let NSXMLStoreType = "XML"
/// A store in a binary document, read and written whole. The format is OpenCoreData's own: Apple's framework and this
/// one cannot read each other's binary files. `Documentation/Internals/Stores.md` describes it.
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

/// Metadata: the first version of Apple's systems that can read the store. The value of a file is kept
/// and otherwise ignored.
public let NSPersistentStoreOSCompatibility = "NSPersistentStoreOSCompatibility"
/// Metadata: one checksum of all version hashes.
public let NSPersistentStoreModelVersionChecksumKey = "NSStoreModelVersionChecksumKey"

/// Store option: `true` opens the store read-only; a save that changes it then fails with code 513.
public let NSReadOnlyPersistentStoreOption = "NSReadOnlyPersistentStoreOption"
/// Store option: the time in seconds to wait for a locked database; 5 unless set, 240 for a store description.
public let NSPersistentStoreTimeoutOption = "NSPersistentStoreTimeoutOption"
/// Store option: SQLite pragmas by name, set on every connection (`["journal_mode": "DELETE"]`).
public let NSSQLitePragmasOption = "NSSQLitePragmasOption"
/// Store option: run SQLite's `ANALYZE` when the store is added.
public let NSSQLiteAnalyzeOption = "NSSQLiteAnalyzeOption"
/// Store option: run SQLite's `VACUUM` when the store is added.
public let NSSQLiteManualVacuumOption = "NSSQLiteManualVacuumOption"
/// Store option: open the store even though its model's hashes differ.
public let NSIgnorePersistentStoreVersioningOption = "NSIgnorePersistentStoreVersioningOption"
/// Option of `destroyPersistentStore` and `replacePersistentStore`: `true` removes the existing file even if it is not
/// a store, or another process has it open.
public let NSPersistentStoreForceDestroyOption = "NSPersistentStoreForceDestroyOption"
/// Store option: the maximum number of connections that a SQLite store keeps open, including the writing one; 5 unless
/// set. If more threads read at the same time, each of them has a connection.
public let NSPersistentStoreConnectionPoolMaxSizeKey = "NSPersistentStoreConnectionPoolMaxSize"
/// Store option: check an XML store against its document type. Opening an XML store always checks it completely, so the
/// option has no effect.
public let NSValidateXMLStoreOption = "NSValidateXMLStoreOption"
/// Store option: the classes that Apple's binary stores may contain. Binary stores of OpenCoreData contain only values
/// of the model's types, so the option has no effect; transformers restrict the classes of transformable attributes.
public let NSBinaryStoreSecureDecodingClasses = "NSBinaryStoreSecureDecodingClasses"
/// Store option: lets Apple's binary stores instantiate any class. Those of OpenCoreData never do; the option
/// has no effect.
public let NSBinaryStoreInsecureDecodingCompatibilityOption = "NSBinaryStoreInsecureDecodingCompatibilityOption"
/// Store option: migrate a store of another model version.
public let NSMigratePersistentStoresAutomaticallyOption = "NSMigratePersistentStoresAutomaticallyOption"
/// Store option: infer the mapping model of a migration from the two models.
public let NSInferMappingModelAutomaticallyOption = "NSInferMappingModelAutomaticallyOption"

/// Store option: `true` keeps a history of all changes; see `NSPersistentHistoryChangeRequest`. For SQLite stores and
/// stores in memory; others ignore it. A SQLite store that has a history continues to record without the option;
/// `false` removes the history.
public let NSPersistentHistoryTrackingKey = "NSPersistentHistoryTrackingKey"
/// Store option: `true` gives a store in SQLite or PostgreSQL full-text indexes of the attributes that its model marks
/// for search (`isIndexedBySpotlight`), so that searches do not read all rows.
///
///     let description = NSPersistentStoreDescription(url: url)
///     description.setOption(true as NSNumber, forKey: NSFullTextIndexOption)
///
/// - `true`: opening the store makes the indexes from its rows, once; for a large store this takes about as long as
///   reading and writing all its text. Other processes wait with their saves meanwhile. Triggers in the file then keep
///   the indexes in step with every writer, Apple's framework included. The price is time in each save that changes
///   such an attribute, and room in the file for the words.
/// - absent: indexes that are there are used and stay in step; none are made. Without this option a file is as
///   Apple's framework writes it.
/// - `false`: indexes are removed.
///
/// The answers of a search are the same with and without indexes. A store that is opened for reading uses the indexes
/// that are there. Metadata and version hashes do not change. Opening fails with code 134080 if the system's SQLite has
/// no full-text search (FTS5), and on a server if the user may not create tables and functions in the schema. Stores
/// with tenants, mapped tables and other kinds of stores have no index.
///
/// On a server the indexes are tables. Saves write them, and triggers report the rows of other programs, which each
/// search reads until the next opening or save has indexed them. Saves wait for the making of the tables, and then go
/// on while the rows are indexed.
public let NSFullTextIndexOption = "OpenCoreDataFullTextIndex"
/// Store option: `true` gives a SQLite store indexes of the values at paths for which its model asks, so that a
/// condition such as `meta.tags.name == 'swift'` does not read all rows.
///
///     attribute.userInfo = ["indexedPaths": "tags.name, size"]  // of the attribute 'meta', in the model
///     description.setOption(true as NSNumber, forKey: NSValueIndexOption)
///
/// The user info of a `Transformable` or `Binary` attribute has the key `indexedPaths`, and paths separated by commas.
/// An index is used for `==`, `<`, `<=`, `>`, `>=`, BETWEEN, IN and BEGINSWITH with constants that are texts, numbers
/// or dates, for comparisons with nil, and after ANY. `explain` shows its use.
///
/// - `true`: opening the store makes the indexes from its rows, once. Saves then write them, and triggers note the rows
///   that other programs write, Apple's framework included; fetches read these, too, until the next opening or save has
///   indexed them.
/// - absent: indexes that are there are used and stay in step; none are made. Without this option a file is as Apple's
///   framework writes it.
/// - `false`: indexes are removed.
///
/// The answers of fetches are the same with and without indexes. Metadata and version hashes do not change. Opening
/// fails with code 134080 if the model asks for a path that no index can have; the error names entity, attribute and
/// path. Attributes with external storage or a transformer of the program have no index. Other kinds of stores ignore
/// the option, and compare the values of all rows.
public let NSValueIndexOption = "OpenCoreDataValueIndex"
/// Store option: `true` posts `NSPersistentStoreRemoteChange` after each transaction of any coordinator or process.
public let NSPersistentStoreRemoteChangeNotificationPostOptionKey = "NSPersistentStoreRemoteChangeNotificationOptionKey"
/// User info key of `NSPersistentStoreRemoteChange`: the URL of the store.
public let NSPersistentStoreURLKey = "storeURL"
