// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Reads the states of records out of their objects.
import CoreData
import CoreDataSyncModel
import CoreDataSyncProtocol
import Foundation

/// A present record to read: its object, and the objects that its state names.
struct ReadingSource {
    let entry: TableEntry
    let name: UUID
    let object: NSManagedObject
    let entity: SyncEntity
    /// The older state and the keys that changed since; nil to read all.
    let change: (old: SyncRecordState, keys: Set<String>)?
    /// The destinations of links, without the missing ones.
    let links: [NSManagedObject]
    /// The members of `SyncEntity.memberKeys`; empty for those that are not read.
    let members: [[NSManagedObject]]

    init(
        _ entry: TableEntry, name: UUID, _ object: NSManagedObject, _ entity: SyncEntity,
        since change: (old: SyncRecordState, keys: Set<String>)? = nil
    ) {
        self.entry = entry
        self.name = name
        self.object = object
        self.entity = entity
        self.change = change
        func isRead(_ key: String) -> Bool { change?.keys.contains(key) ?? true }
        links = entity.linkKeys.compactMap { isRead($0) ? object.value(forKey: $0) as? NSManagedObject : nil }
        // The keys of an order may change without its members.
        members = entity.memberKeys.map { isRead($0) || entity.orders[$0] != nil ? object.syncMembers($0) : [] }
    }

    var isEachRead: Bool { change == nil }
    func isRead(_ key: String) -> Bool { change?.keys.contains(key) ?? true }
    var destinations: [NSManagedObject] { links + members.joined() }
}

/// Reads states with the records of a table.
struct RecordReading {
    let table: RecordTable

    /// The state of a record. The records of the source's destinations are in the table.
    ///
    /// - Returns: the state with the bytes of large values, except for those that an older state has as hashes; and
    ///   whether all its destinations have records, without which they are left out.
    func state(_ source: ReadingSource) throws -> (state: SyncRecordState, isWhole: Bool) {
        let (object, entity) = (source.object, source.entity)
        var isWhole = true
        var state =
            source.change?.old ?? SyncRecordState(name: source.name, entity: entity.name, state: .present)
        if source.isEachRead {
            state.values = try object.syncAttributes(entity)
        } else {
            for (key, attribute) in entity.values where source.isRead(key) {
                state.values[key] = try SyncValueCoding.encode(object.value(forKey: key), attribute)
            }
        }
        func name(_ destination: NSManagedObject) throws -> UUID? {
            let name = try table.entry(of: destination)?.name
            if name == nil { isWhole = false }
            return name
        }
        for key in entity.linkKeys where source.isRead(key) {
            let destination = source.links.isEmpty ? nil : object.value(forKey: key) as? NSManagedObject
            state.values[key] = try destination.flatMap(name).map { .link($0) } ?? .null
        }
        for (key, members) in zip(entity.memberKeys, source.members) {
            let isOrder = entity.orders[key] != nil
            guard isOrder || source.isRead(key) else { continue }
            let names = try members.compactMap(name)
            if entity.members[key] != nil { state.members[key] = names.sorted { $0.precedes($1) } }
            guard isOrder else { continue }
            let places = names.isEmpty ? [:] : source.entry.metadata.places[key] ?? [:]
            state.orders[key] = names.lazy.map(\.text).reduce(into: [:]) { $0[$1] = places[$1]?.key }
        }
        return (state, isWhole)
    }
}
