// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The names of the app's objects, in both directions.
import CoreData
import CoreDataSyncProtocol
import Foundation

/// A name and its object.
struct NameRow {
    let object: NSManagedObject

    var name: UUID {
        get { UUID(text: object.value(forKey: "name") as? String ?? "") ?? UUID() }
        nonmutating set { object.setValue(newValue.uuidString, forKey: "name") }
    }
    /// The id of the app's object, as a URI.
    var uri: String {
        get { object.value(forKey: "object") as? String ?? "" }
        nonmutating set { object.setValue(newValue, forKey: "object") }
    }
    var known: KnownState {
        get { object.unpacked("known") ?? KnownState() }
        nonmutating set { if newValue != known { object.pack(newValue.isEmpty ? nil : newValue, "known") } }
    }
}

/// Finds rows of names, and makes new ones. Belongs to one block on the sidecar's queue.
final class NameTable {
    private let context: NSManagedObjectContext
    private var byName: [UUID: NameRow] = [:]
    private var byURI: [String: NameRow] = [:]
    private var askedNames: Set<UUID> = []
    private var askedURIs: Set<String> = []

    init(_ sidecar: Sidecar) { context = sidecar.context }

    func load(uris: some Sequence<String>) throws {
        let missing = Set(uris.filter { !askedURIs.contains($0) }).sorted()
        askedURIs.formUnion(missing)
        for part in missing.parts { try add(NSPredicate(format: "object IN %@", part)) }
    }

    func load(names: some Sequence<UUID>) throws {
        let missing = Set(names.filter { !askedNames.contains($0) })
        askedNames.formUnion(missing)
        for part in missing.map(\.uuidString).sorted().parts { try add(NSPredicate(format: "name IN %@", part)) }
    }

    func isEmpty() throws -> Bool {
        try context.count(for: NSFetchRequest<NSManagedObject>(entityName: SidecarEntities.name)) == 0
    }

    /// All rows, in the order of names.
    func all() throws -> [NameRow] {
        try add(NSPredicate(value: true))
        return byName.sorted { $0.key.precedes($1.key) }.map(\.value)
    }

    func row(uri: String) throws -> NameRow? {
        if let row = byURI[uri] { return row }
        try load(uris: [uri])
        return byURI[uri]
    }

    func row(name: UUID) throws -> NameRow? {
        if let row = byName[name] { return row }
        try load(names: [name])
        return byName[name]
    }

    /// - Parameter number: the history's transaction that named the object.
    @discardableResult
    func insert(_ name: UUID, uri: String, number: Int64) -> NameRow {
        let row = NameRow(
            object: NSEntityDescription.insertNewObject(forEntityName: SidecarEntities.name, into: context))
        row.name = name
        row.uri = uri
        row.object.setValue(number, forKey: "number")
        (byName[name], byURI[uri]) = (row, row)
        return row
    }

    func remove(_ row: NameRow) {
        byName[row.name] = nil
        byURI[row.uri] = nil
        context.delete(row.object)
    }

    private func add(_ predicate: NSPredicate) throws {
        let request = NSFetchRequest<NSManagedObject>(entityName: SidecarEntities.name)
        request.predicate = predicate
        request.returnsObjectsAsFaults = false
        for row in try context.fetch(request).map(NameRow.init) where !row.object.isDeleted {
            let (name, uri) = (row.name, row.uri)
            if byName[name] == nil { byName[name] = row }
            if byURI[uri] == nil { byURI[uri] = row }
        }
    }
}

extension [String] {
    /// Parts that fit into one statement.
    var parts: [[String]] {
        stride(from: 0, to: count, by: 500).map { Array(self[$0..<Swift.min($0 + 500, count)]) }
    }
}
