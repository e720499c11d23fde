// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Opens any store of Core Data, with the model it keeps, one that is given, or one inferred from what it holds.

package import CoreData
package import CoreDataModelFiles
import Foundation
import SQLiteDriver

/// A store that is open, with its model.
package final class OpenedStore: @unchecked Sendable {  // all parts are set once; the context guards itself
    /// Where the model came from.
    package enum ModelOrigin: String, Sendable {
        case cache = "cached in the store"
        case file = "from a file"
        case schema = "inferred from the tables"
        case objects = "inferred from the objects"
        case outline = "outlined in the store"
    }

    /// The store as it was asked for.
    package let url: URL
    package let file: StoreFile
    package let origin: ModelOrigin
    /// `NSSQLiteStoreType` and the like.
    package let type: String
    /// The model as its author wrote it, entities that are not in the store included.
    package let document: ModelDocument
    /// The part of the model with which the store is open.
    package let model: NSManagedObjectModel
    /// A context on a queue of its own.
    package let context: NSManagedObjectContext
    private let place: StorePlace

    /// - Parameters:
    ///   - model: an `.xcdatamodeld`, `.momd` and the like, which then is used instead of the cached one.
    ///   - version: of that model; nil for its current one.
    ///   - isWritable: opens the store itself for changes; otherwise nothing is changed, not even beside it.
    /// - Throws: an error for people, see `ToolError.text(of:)`.
    package init(_ url: URL, model modelURL: URL? = nil, version: String? = nil, isWritable: Bool = false) throws {
        self.url = url
        let kind = try FileKind(of: url)
        guard let type = kind.storeType else { throw ToolError("\(url.path) is no store.") }
        self.type = type
        let place = try StorePlace(of: url, isWritten: isWritable)
        self.place = place
        let isInPlace = place.isInPlace && !isWritable
        (file, document, origin) = try place.naming {
            try Self.model(
                of: place.url, isInPlace: isInPlace, kind, named: url.path, modelURL: modelURL, version: version)
        }
        let working = WorkingModel.document(for: document, entities: file.entityNames)
        guard !working.entities.isEmpty else {
            throw ToolError("The model has none of the store's entities, which are: \(file.entityNames.sorted().list).")
        }
        model = NSManagedObjectModel(document: working)
        try model.check()
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        _ = try place.naming {
            try coordinator.addPersistentStore(
                ofType: type, configurationName: nil, at: place.url,
                options: [
                    NSReadOnlyPersistentStoreOption: !isWritable,
                    storeLeavesNoTraceOption: isInPlace,
                    // The working model is not the author's; whether that one fits has been looked at.
                    NSIgnorePersistentStoreVersioningOption: true,
                ])
        }
        context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
    }

    /// Runs a body on the context's queue.
    ///
    /// - Throws: what the body throws; a `ToolError` names the file that was asked for.
    package func ask<Result>(_ body: (NSManagedObjectContext) throws -> Result) throws -> Result {
        try place.naming { try context.performAndWait { try body(context) } }
    }

    /// The entities that are open, by name.
    package var entities: [NSEntityDescription] {
        model.entities.sorted { ($0.name ?? "") < ($1.name ?? "") }
    }

    /// - Parameter name: case counts only where two entities differ by it alone.
    /// - Throws: `ToolError` with the names that there are.
    package func entity(named name: String) throws -> NSEntityDescription {
        if let entity = model.entitiesByName[name] { return entity }
        let alike = entities.filter { ($0.name ?? "").lowercased() == name.lowercased() }
        if alike.count == 1 { return alike[0] }
        throw ToolError("There is no entity '\(name)'; there are: \(entities.compactMap(\.name).list).")
    }

    /// The model as its author wrote it.
    ///
    /// - Throws: `ToolError` for a model that is only inferred.
    package func authoredModel() throws -> ModelDocument {
        guard origin == .cache || origin == .file else {
            throw ToolError("\(url.path) keeps no model; what its tables tell is too little to write a source of.")
        }
        return document
    }

    // MARK: Objects

    /// The id that "Car/3" or a URI means.
    ///
    /// - Returns: nil for a text of another form, for another store's URI, and for an object that is not of the entity.
    func objectID(_ text: String, of entity: NSEntityDescription) throws -> NSManagedObjectID? {
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

    /// The name of the file that should hold an object's data, where it cannot be read.
    ///
    /// - Returns: nil where the value is nil, or where the store keeps no files.
    /// - Throws: what SQLite says.
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

    /// What begins the columns of data that is kept in a file of its own.
    private static let fileMark: UInt8 = 2

    /// A connection for what objects do not tell.
    private lazy var rawConnection = Result { [place] in
        try Connection(url: place.url, options: .init(access: .readOnly, leavesNoTrace: place.isInPlace))
    }

    // MARK: Finding the model

    private typealias Found = (StoreFile, ModelDocument, ModelOrigin)

    private static func model(
        of place: URL, isInPlace: Bool, _ kind: FileKind, named path: String, modelURL: URL?, version: String?
    ) throws -> Found {
        let found: Found
        switch kind {
        case .xmlStore: found = try XMLStoreModel.infer(place)
        case .binaryStore: found = try outline(place)
        default: found = try database(place, isInPlace: isInPlace, named: path, isModelGiven: modelURL != nil)
        }
        guard let modelURL else { return found }
        let document = try ModelBundle.load(contentsOf: modelURL, version: version)
        try checkHashes(of: document, found.0, modelURL)
        return (found.0, document, .file)
    }

    private static func outline(_ place: URL) throws -> Found {
        let outline = try BinaryOutline(contentsOf: place)
        let file = StoreFile(metadata: outline.metadata, entities: outline.document.entities.map(\.name))
        return (file, outline.document, .outline)
    }

    private static func database(_ place: URL, isInPlace: Bool, named path: String, isModelGiven: Bool) throws -> Found
    {
        let connection = try Connection(url: place, options: .init(access: .readOnly, leavesNoTrace: isInPlace))
        defer { try? connection.close() }
        let file = try StoreFile(connection, path: path)
        if isModelGiven { return (file, ModelDocument(), .file) }
        if let cached = file.cachedModel, !file.entityNames.isDisjoint(with: cached.entities.map(\.name)) {
            return (file, cached, .cache)
        }
        return (file, try SchemaModel.infer(connection, file: file), .schema)
    }

    private static func checkHashes(of document: ModelDocument, _ file: StoreFile, _ url: URL) throws {
        let model = NSManagedObjectModel(document: document)
        let known = model.entitiesByName
        let hashes = model.entityVersionHashesByName
        let missing = file.hashes.keys.filter { known[$0] == nil }.sorted()
        guard missing.isEmpty else {
            throw ToolError("\(url.path) is not the model of the store: it has no entity \(missing.list).")
        }
        // Hashes of derived attributes cannot be compared with those in Apple's stores.
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
    /// The names with commas between them; the first thirty of many.
    package var list: String {
        prefix(30).joined(separator: ", ") + (count > 30 ? " and \(count - 30) more" : "")
    }
}
