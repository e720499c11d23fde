// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Opens any Core Data store with its cached model, a given one, or one inferred from its contents.

package import CoreData
package import CoreDataModelFiles
import CoreDataPostgreSQL
import Foundation
import SQLiteDriver

/// An open store with its model.
package final class OpenedStore: @unchecked Sendable {  // all parts are set once; the context guards itself
    /// The origin of the model.
    package enum ModelOrigin: String, Sendable {
        case cache = "cached in the store"
        case file = "from a file"
        case schema = "inferred from the tables"
        case objects = "inferred from the objects"
        case outline = "outlined in the store"

        /// Whether the store keeps no model, and its tables or objects gave it.
        package var isInferred: Bool { self != .cache && self != .file }
    }

    /// The location given by the user.
    package let url: URL
    package let file: StoreFile
    package let origin: ModelOrigin
    /// For example `NSSQLiteStoreType`.
    package let type: String
    /// The original model, including entities that are not in the store.
    package let document: ModelDocument
    /// The uncertain parts of an inferred model, and the parts of the file that it leaves out.
    package let notes: [InferredModel.Note]
    /// The part of the model that the store is opened with.
    package let model: NSManagedObjectModel
    /// A context with its own queue.
    package let context: NSManagedObjectContext
    let location: ReadLocation
    private let isInferenceAllowed: Bool

    /// - Parameters:
    ///   - model: an `.xcdatamodeld`, `.momd` or similar, to use instead of the cached model.
    ///   - version: the version of that model; nil for its current one.
    ///   - isWritable: opens the store itself for changes; otherwise no file is changed, and none is made next to it.
    ///   - isEditable: whether saves obey the rules of the model, and commits of others are announced.
    ///   - inference: lets `authoredModel` give an inferred model; nil for only described ones.
    ///   - observer: receives the operations of the store; nil for none.
    /// - Throws: an error for the user, see `ToolError.text(of:)`.
    package init(
        _ url: URL, model modelURL: URL? = nil, version: String? = nil, isWritable: Bool = false,
        isEditable: Bool = false, inference: ModelInference? = nil, observer: (any StoreObserver)? = nil
    ) throws {
        self.url = url
        let kind = try FileKind(of: url)
        guard let type = kind.storeType else { throw ToolError("\(url.shownPlace) is no store.") }
        self.type = type
        let location = try ReadLocation(of: url, isWritten: isWritable)
        self.location = location
        let isInPlace = location.isInPlace && !isWritable && kind != .server
        let found = try location.naming {
            try Self.model(
                of: location.url, isInPlace: isInPlace, kind, named: url.shownPlace, modelURL: modelURL,
                version: version)
        }
        (file, origin) = (found.file, found.origin)
        isInferenceAllowed = inference != nil
        if origin.isInferred, isEditable || isWritable && inference != nil {
            throw ToolError(
                "\(url.shownPlace) keeps no model: it opens for changes only with its true one, by --model.")
        }
        let inferred = InferredModel(document: found.document, notes: found.notes)
        let used = try origin.isInferred ? inference?.corrected(inferred) ?? inferred : inferred
        (document, notes) = (used.document, used.notes)
        let names = origin == .schema ? Set(document.entities.map(\.name)) : file.entityNames
        let working = WorkingModel.document(for: document, entities: names, isEditable: isEditable)
        guard !working.entities.isEmpty else {
            throw ToolError(
                origin == .schema
                    ? "\(url.shownPlace) has no table of an entity."
                    : "The model has none of the store's entities, which are: \(file.entityNames.sorted().list).")
        }
        model = NSManagedObjectModel(document: working)
        try model.check()
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        if let observer { coordinator.storeObservers = [observer] }
        _ = try location.naming {
            let options: [String: Any] = [
                NSReadOnlyPersistentStoreOption: !isWritable,
                storeLeavesNoTraceOption: isInPlace,
                // The working model differs from the original one, which has already been
                // checked for compatibility.
                NSIgnorePersistentStoreVersioningOption: true,
                NSPersistentStoreRemoteChangeNotificationPostOptionKey: isEditable,
            ]
            return try coordinator.addPersistentStore(
                ofType: type, configurationName: nil, at: location.url, options: options)
        }
        context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
    }

    /// Calls the body on the context's queue.
    ///
    /// - Throws: the errors of the body; a `ToolError` names the location given by the user.
    package func ask<Result>(_ body: (NSManagedObjectContext) throws -> Result) throws -> Result {
        try location.naming { try context.performAndWait { try body(context) } }
    }

    /// The entities of the open store, by name.
    package var entities: [NSEntityDescription] {
        model.entities.sorted { ($0.name ?? "") < ($1.name ?? "") }
    }

    /// - Parameter name: case matters only if two entities differ only in case.
    /// - Throws: `ToolError` with the names of all entities.
    package func entity(named name: String) throws -> NSEntityDescription {
        if let entity = model.entitiesByName[name] { return entity }
        let alike = entities.filter { ($0.name ?? "").lowercased() == name.lowercased() }
        if alike.count == 1 { return alike[0] }
        throw ToolError("There is no entity '\(name)'; there are: \(entities.compactMap(\.name).list).")
    }

    /// The original model; an inferred one, with its guesses marked, only if the caller allowed inference.
    ///
    /// - Throws: `ToolError` for a store that keeps no model.
    package func authoredModel() throws -> ModelDocument {
        if !origin.isInferred { return document }
        guard isInferenceAllowed else {
            throw ToolError(
                "\(url.shownPlace) keeps no model: `model infer` writes one from its tables, and --infer takes it.")
        }
        return InferredModel(document: document, notes: notes).markedDocument
    }

    // MARK: Objects

    /// The id for "Car/3" or a URI.
    ///
    /// - Returns: nil for malformed text, for a URI of another store, and for an object of another entity.
    package func objectID(_ text: String, of entity: NSEntityDescription) throws -> NSManagedObjectID? {
        let coordinator = context.persistentStoreCoordinator
        guard let coordinator, let identifier = coordinator.persistentStores.first?.identifier else { return nil }
        var uri = text
        if !text.hasPrefix("x-coredata://") {
            let parts = text.split(separator: "/", omittingEmptySubsequences: false)
            guard parts.count == 2, let key = Int64(parts[1]), key > 0 else { return nil }
            uri = "x-coredata://\(identifier)/\(try self.entity(named: String(parts[0])).name ?? "")/p\(key)"
        }
        guard let url = URL(string: uri), let id = coordinator.managedObjectID(forURIRepresentation: url),
            id.entity.isKindOf(entity: entity) || entity.isKindOf(entity: id.entity)
        else { return nil }
        return id
    }

    /// The name of the missing file for an object's external data.
    ///
    /// - Returns: nil if the value is nil, or if the store has no external files.
    /// - Throws: SQLite's errors.
    func missingFile(of key: String, in object: NSManagedObject) throws -> String? {
        guard type == NSSQLiteStoreType else { return nil }
        let connection = try rawConnection.get()
        var root = object.entity
        while let parent = root.superentity { root = parent }
        let table = "Z" + (root.name ?? "").uppercased()
        let number = Int64(object.objectID.uriRepresentation().lastPathComponent.dropFirst()) ?? 0
        let columns = try connection.columns(of: table).map(\.name)
        guard let column = columns.first(where: { $0 == "Z" + key.uppercased() }),
            let bytes = try connection.value(
                "SELECT \"\(column)\" FROM \"\(table)\" WHERE Z_PK = ?", [.integer(number)])?.blobValue,
            bytes.first == Self.fileMark
        else { return nil }
        return String(decoding: bytes.dropFirst().prefix { $0 != 0 }, as: UTF8.self)
    }

    /// The first byte of column values that refer to an external file.
    private static let fileMark: UInt8 = 2

    /// A connection for data that objects do not expose.
    private lazy var rawConnection = Result { [location] in
        try Connection(url: location.url, options: .init(access: .readOnly, leavesNoTrace: location.isInPlace))
    }

    /// The defects of a SQLite store of the given model.
    func defects(of model: NSManagedObjectModel, configuration: String?) throws -> [StoreDefect] {
        try location.naming {
            try StoreExamination.defects(
                ofStoreAt: location.url, model: model, configuration: configuration, leavesNoTrace: location.isInPlace)
        }
    }

    // MARK: Finding the model

    private struct Found {
        let file: StoreFile
        let document: ModelDocument
        let origin: ModelOrigin
        var notes: [InferredModel.Note] = []

        init(_ file: StoreFile, _ document: ModelDocument, _ origin: ModelOrigin) {
            (self.file, self.document, self.origin) = (file, document, origin)
        }
    }

    private static func model(
        of location: URL, isInPlace: Bool, _ kind: FileKind, named path: String, modelURL: URL?, version: String?
    ) throws -> Found {
        let found: Found
        switch kind {
        case .xmlStore:
            let (file, document, origin) = try XMLStoreModel.infer(location)
            found = Found(file, document, origin)
        case .binaryStore: found = try outline(location)
        case .server: found = try server(location, isModelGiven: modelURL != nil)
        default: found = try database(location, isInPlace: isInPlace, named: path, isModelGiven: modelURL != nil)
        }
        guard let modelURL else { return found }
        let document = try ModelBundle.load(contentsOf: modelURL, version: version)
        try checkHashes(of: document, found.file, modelURL)
        return Found(found.file, document, .file)
    }

    private static func outline(_ location: URL) throws -> Found {
        let outline = try BinaryOutline(contentsOf: location)
        let file = StoreFile(metadata: outline.metadata, entities: outline.document.entities.map(\.name))
        return Found(file, outline.document, .outline)
    }

    private static func server(_ location: URL, isModelGiven: Bool) throws -> Found {
        PostgreSQLStore.register()
        let metadata = try PostgreSQLStore.metadataForPersistentStore(with: location)
        let names = (metadata[NSStoreModelVersionHashesKey] as? [String: Data] ?? [:]).keys.sorted()
        let file = StoreFile(metadata: metadata, entities: names)
        if isModelGiven { return Found(file, ModelDocument(), .file) }
        guard let cached = try PostgreSQLStore.cachedModel(at: location, options: nil) else {
            throw ToolError("\(location.shownPlace) keeps no model: name it with --model.")
        }
        return Found(file, cached.document(), .cache)
    }

    private static func database(_ location: URL, isInPlace: Bool, named path: String, isModelGiven: Bool) throws
        -> Found
    {
        let connection = try Connection(url: location, options: .init(access: .readOnly, leavesNoTrace: isInPlace))
        defer { try? connection.close() }
        let file = try StoreFile(connection, path: path)
        if isModelGiven { return Found(file, ModelDocument(), .file) }
        if let cached = file.cachedModel, !file.entityNames.isDisjoint(with: cached.entities.map(\.name)) {
            return Found(file, cached, .cache)
        }
        let inferred = try SchemaModel.infer(connection, file: file)
        var found = Found(file, inferred.document, .schema)
        found.notes = inferred.notes
        return found
    }

    private static func checkHashes(of document: ModelDocument, _ file: StoreFile, _ url: URL) throws {
        let model = NSManagedObjectModel(document: document)
        let known = model.entitiesByName
        let hashes = model.entityVersionHashesByName
        let missing = file.hashes.keys.filter { known[$0] == nil }.sorted()
        guard missing.isEmpty else {
            throw ToolError("\(url.path) is not the model of the store: it has no entity \(missing.list).")
        }
        // Hashes of derived attributes are not comparable with those in Apple's stores.
        let differing = file.hashes.filter { name, hash in
            hashes[name] != hash
                && !(known[name]?.properties.contains { $0 is NSDerivedAttributeDescription } ?? false)
        }.keys.sorted()
        guard differing.isEmpty else {
            throw ToolError("\(url.path) is not the store's version of the model: it has another \(differing.list).")
        }
    }
}

extension Collection where Element == String {
    /// The names separated by commas; at most the first thirty.
    package var list: String {
        prefix(30).joined(separator: ", ") + (count > 30 ? " and \(count - 30) more" : "")
    }
}
