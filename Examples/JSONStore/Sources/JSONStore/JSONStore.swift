// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A store over a folder of JSON files, as an example of a subclass of NSIncrementalStore.

public import CoreData
import Foundation

/// Keeps each object in a separate file, `<root entity>/<reference>.json`, and its metadata in `Metadata.plist`.
///
/// A save takes effect completely or not at all, even in a crash; see `Transaction`. One process at a time may
/// use the folder.
public final class JSONStore: NSIncrementalStore {
    /// The type with which the store is registered.
    public static let storeType = NSPersistentStore.StoreType(rawValue: "JSON")

    /// Call it once, before a store of this type is added.
    public static func register() { NSPersistentStoreCoordinator.registerStoreClass(Self.self, type: storeType) }

    private var folder: URL { url ?? URL(filePath: "/dev/null") }
    private var metadataFile: URL { folder.appending(path: "Metadata.plist") }
    private var lastReference: UInt64 = 0

    public override func loadMetadata() throws {
        guard folder.isFileURL else { throw CocoaError(.fileReadUnsupportedScheme) }
        if FileManager.default.fileExists(atPath: metadataFile.path) {
            if !isReadOnly { try Transaction(in: folder).recover() }
            metadata = try Self.metadataForPersistentStore(with: folder)
        } else {
            guard !isReadOnly else { throw CocoaError(.fileReadNoSuchFile) }
            let identifier = Self.identifierForNewStore(at: folder)
            metadata = [NSStoreTypeKey: Self.storeType.rawValue, NSStoreUUIDKey: identifier]
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            try Self.setMetadata(metadata, forPersistentStoreAt: folder)
        }
    }

    public override class func metadataForPersistentStore(with url: URL) throws -> [String: Any] {
        let data = try Data(contentsOf: url.appending(path: "Metadata.plist"))
        let metadata = try PropertyListSerialization.propertyList(from: data, format: nil) as? [String: Any]
        guard let metadata else { throw CocoaError(.fileReadCorruptFile) }
        return metadata
    }

    public override class func setMetadata(_ metadata: [String: Any]?, forPersistentStoreAt url: URL) throws {
        let data = try PropertyListSerialization.data(fromPropertyList: metadata ?? [:], format: .xml, options: 0)
        try data.write(to: url.appending(path: "Metadata.plist"), options: .atomic)
    }

    // MARK: Requests

    public override func execute(_ request: NSPersistentStoreRequest, with context: NSManagedObjectContext?) throws
        -> Any
    {
        switch request {
        case let request as NSFetchRequest<any NSFetchRequestResult>:
            guard let entity = request.entity else { return [] }
            return try results(of: request, among: allIDs(of: entity.root), with: context)
        case let request as NSSaveChangesRequest:
            try save(request)
            return []
        default: throw CocoaError(.persistentStoreUnsupportedRequestType)
        }
    }

    /// In the order in which the objects were created, which their references contain.
    private func allIDs(of root: NSEntityDescription) throws -> [NSManagedObjectID] {
        let files = try? FileManager.default.contentsOfDirectory(atPath: folder.appending(path: root.name ?? "").path)
        return (files ?? []).filter { $0.hasSuffix(".json") }.sorted()
            .map { newObjectID(for: root, referenceObject: String($0.dropLast(".json".count))) }
    }

    private func save(_ request: NSSaveChangesRequest) throws {
        let transaction = Transaction(in: folder)
        try transaction.begin()
        do {
            for (id, record) in try records(of: request) { try transaction.write(try record.data(), to: path(of: id)) }
            for object in request.deletedObjects ?? [] { try transaction.remove(path(of: object.objectID)) }
            try transaction.commit()
        } catch {
            transaction.abandon()
            throw error
        }
        try Self.setMetadata(metadata, forPersistentStoreAt: folder)
    }

    /// The records that a save writes: its objects, and the other ends of links that they have gained or lost.
    private func records(of request: NSSaveChangesRequest) throws -> [NSManagedObjectID: Record] {
        var records: [NSManagedObjectID: Record] = [:]
        for object in (request.insertedObjects ?? []).union(request.updatedObjects ?? []) {
            records[object.objectID] = try Record(
                object.entity, nextVersion(of: object), storedValues(of: object), self)
        }
        var others: [NSManagedObjectID: Record] = [:]
        for (id, record) in records {
            let before = try? self.record(id)
            for relationship in id.entity.relationshipsByName.values {
                guard let inverse = relationship.inverseRelationship else { continue }
                let links = Set(record.links(relationship.name))
                for link in links.symmetricDifference(before?.links(relationship.name) ?? []) {
                    let otherID = try self.id(link)
                    guard records[otherID] == nil, var other = others[otherID] ?? (try? self.record(otherID)) else {
                        continue
                    }
                    other.set(self.link(to: id), in: inverse, isThere: links.contains(link))
                    others[otherID] = other
                }
            }
        }
        return records.merging(others) { changed, _ in changed }
    }

    // MARK: Records

    public override func newValuesForObject(with objectID: NSManagedObjectID, with context: NSManagedObjectContext)
        throws
        -> NSIncrementalStoreNode
    {
        let record = try record(objectID)
        guard let entity = persistentStoreCoordinator?.managedObjectModel.entitiesByName[record.entity] else {
            throw CocoaError(.fileReadCorruptFile)
        }
        let id = newObjectID(for: entity, referenceObject: referenceObject(for: objectID))
        return NSIncrementalStoreNode(
            objectID: id, withValues: try record.values(of: entity, self), version: record.version)
    }

    public override func newValue(
        forRelationship relationship: NSRelationshipDescription, forObjectWith objectID: NSManagedObjectID,
        with context: NSManagedObjectContext?
    ) throws -> Any {
        let ids = try record(objectID).ids(relationship, self)
        guard relationship.isToMany else { return ids.first ?? NSNull() }
        return ids.filter { FileManager.default.fileExists(atPath: folder.appending(path: path(of: $0)).path) }
    }

    private func record(_ id: NSManagedObjectID) throws -> Record {
        let file = folder.appending(path: path(of: id))
        guard FileManager.default.fileExists(atPath: file.path) else {
            throw CocoaError(.managedObjectReferentialIntegrity)
        }
        return try Record(Data(contentsOf: file))
    }

    // MARK: References

    /// Microseconds since 1970 and four digits that differ between processes: objects are listed in the order
    /// of their creation.
    public override func obtainPermanentIDs(for array: [NSManagedObject]) throws -> [NSManagedObjectID] {
        array.map { object in
            lastReference = max(lastReference + 1, UInt64(Date().timeIntervalSince1970 * 1_000_000))
            let reference = String(format: "%016lx-%04x", UInt(lastReference), UInt32.random(in: 0...0xffff))
            return newObjectID(for: object.entity, referenceObject: reference)
        }
    }

    private func path(of id: NSManagedObjectID) -> String { "\(id.entity.root.name ?? "")/\(reference(of: id)).json" }

    private func reference(of id: NSManagedObjectID) -> String { "\(referenceObject(for: id))" }

    /// Links contain the entity, so that the id for a link has the record's own entity.
    func link(to id: NSManagedObjectID) -> String { "\(id.entity.name ?? "")/\(reference(of: id))" }

    func id(_ link: String) throws -> NSManagedObjectID {
        let parts = link.split(separator: "/", maxSplits: 1).map(String.init)
        guard parts.count == 2,
            let entity = persistentStoreCoordinator?.managedObjectModel.entitiesByName[parts[0]]
        else { throw CocoaError(.fileReadCorruptFile) }
        return newObjectID(for: entity, referenceObject: parts[1])
    }
}

extension NSEntityDescription {
    /// The root of the inheritance tree, below which references are unique.
    var root: NSEntityDescription { superentity?.root ?? self }
}
