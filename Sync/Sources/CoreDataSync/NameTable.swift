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
        nonmutating set { object.setValue(newValue.text, forKey: "name") }
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
        let missing = uris.filter { askedURIs.insert($0).inserted }
        guard !missing.isEmpty else { return }
        for part in missing.sorted().parts { try add(NSPredicate(format: "object IN %@", part)) }
    }

    func load(names: some Sequence<UUID>) throws {
        let missing = names.filter { askedNames.insert($0).inserted }
        guard !missing.isEmpty else { return }
        for part in missing.sorted(by: { $0.precedes($1) }).map(\.text).parts {
            try add(NSPredicate(format: "name IN %@", part))
        }
    }

    /// Prepares for the names of many new objects.
    func reserve(_ count: Int) {
        byName.reserveCapacity(byName.count + count)
        byURI.reserveCapacity(byURI.count + count)
    }

    func isEmpty() throws -> Bool { try !hasRows(after: nil) }

    /// Whether a transaction after a place named an object; for nil any transaction.
    func hasRows(after place: CapturedPlace?) throws -> Bool {
        let first = NSFetchRequest<NSManagedObject>(entityName: SidecarEntities.name)
        if let place { first.predicate = NSPredicate(format: "number > %lld", place.number) }
        first.fetchLimit = 1
        return try context.count(for: first) > 0
    }

    /// All rows, in the order of names.
    func all() throws -> [NameRow] {
        try add(NSPredicate(value: true))
        return byName.sorted { $0.key.precedes($1.key) }.map(\.value)
    }

    func row(uri: String) throws -> NameRow? {
        if let row = byURI[uri] { return row }
        if askedURIs.contains(uri) { return nil }
        try load(uris: [uri])
        return byURI[uri]
    }

    /// Whether a row with a name was found or made in this block.
    func hasMet(_ name: UUID) -> Bool { byName[name] != nil }

    func row(name: UUID) throws -> NameRow? {
        if let row = byName[name] { return row }
        if askedNames.contains(name) { return nil }
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
