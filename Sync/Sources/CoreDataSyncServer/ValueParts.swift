// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Gives the bytes of large values, part by part, to the users that may have their records.
import CoreData
import CoreDataSyncModel
import CoreDataSyncProtocol
import Foundation

/// Reads parts of the values of records (`Documentation/LargeData.md`, L6, L8).
struct ValueParts {
    let service: ServiceCore
    let context: NSManagedObjectContext
    let user: SyncUser

    /// - Throws: `SyncError.missingData` if the user may not have the record, or if its value has another hash. The
    ///   error does not say which.
    func get(_ request: SyncPartRequest) throws -> Data {
        let part = service.limits.large.part
        guard SyncLargeValue.isHash(request.hash), request.offset >= 0, request.offset % Int64(part) == 0 else {
            throw SyncError(.malformed, "A part begins at a multiple of \(part).")
        }
        guard let bytes = try bytes(request), request.offset < bytes.count else {
            throw SyncError(.missingData, "There is no such data: pull again.")
        }
        let start = bytes.startIndex + Int(request.offset)
        return Data(bytes[start..<min(start + part, bytes.endIndex)])
    }

    private func bytes(_ request: SyncPartRequest) throws -> Data? {
        let name = NSPredicate(format: "name == %@", request.record.uuidString)
        guard let row = try RecordRow.fetch(name, in: context).first, row.state == .present,
            service.authority.mayRead(entity: row.entityName, user: user) || service.faults.contains(.givesForeign),
            let entity = service.model.entities[row.entityName], let object = try object(of: row)
        else { return nil }
        guard try isVisible(object) else { return nil }
        let key = property(request.property, entity)
        let place = ServedValue.Place(record: request.record, property: key, revision: row.revision)
        if let known = service.served.value(at: place) { return known.hash == request.hash ? known.bytes : nil }
        let value =
            try entity.attributes[key].map { try SyncValueCoding.encode(object.value(forKey: key), $0) }
            ?? row.unknown[key]?.value
        guard let bytes = value?.bytes, SyncDigest.text(of: bytes) == request.hash else { return nil }
        service.served.add(ServedValue(place: place, hash: request.hash, bytes: bytes))
        return bytes
    }

    private func object(of row: RecordRow) throws -> NSManagedObject? {
        let coordinator = context.persistentStoreCoordinator
        let id = row.uri.flatMap(URL.init(string:)).flatMap { coordinator?.managedObjectID(forURIRepresentation: $0) }
        return id.flatMap { try? context.existingObject(with: $0) }
    }

    /// Whether the record belongs to one of the user's shapes now.
    private func isVisible(_ object: NSManagedObject) throws -> Bool {
        guard let shapes = try BoundShapes(service, user), !service.faults.contains(.givesForeign) else { return true }
        let membership = Membership(service: service, context: context, user: user, shapes: shapes)
        return try !membership.reachable(among: [object]).isEmpty
    }

    /// A device with an older model asks by the former name of a property.
    private func property(_ name: String, _ entity: SyncEntity) -> String {
        if entity.attributes[name] != nil { return name }
        return service.versions.names.properties[entity.name]?[name] ?? name
    }
}

/// The bytes of a value that a device is getting.
struct ServedValue {
    /// A property of a record in one state.
    struct Place: Hashable {
        let record: UUID
        let property: String
        let revision: Int64
    }

    let place: Place
    let hash: String
    let bytes: Data
}

/// The values of the last requests, so that not each part reads the whole value: 64 MB of them, or one.
struct ServedValues {
    private static let mostBytes = 64 << 20
    /// The last used one comes last.
    private var values: [ServedValue] = []

    mutating func value(at place: ServedValue.Place) -> ServedValue? {
        guard let index = values.firstIndex(where: { $0.place == place }) else { return nil }
        values.append(values.remove(at: index))
        return values.last
    }

    mutating func add(_ value: ServedValue) {
        values.append(value)
        while values.count > 1, values.reduce(0, { $0 + $1.bytes.count }) > Self.mostBytes { values.removeFirst() }
    }
}

/// The hashes of large values in the states of records, which every page with them would compute again.
struct LargeValueHashes {
    private static let most = 20_000
    private var known: [ServedValue.Place: SyncLargeValue] = [:]

    /// The values with hashes in place of many bytes (L1).
    mutating func withoutBytes(
        _ values: [String: SyncValue], record: UUID, revision: Int64, _ sizes: LargeDataSizes
    ) -> [String: SyncValue] {
        guard values.contains(where: { $0.value.isLarge(sizes) }) else { return values }
        var result = values
        for (key, value) in values where value.isLarge(sizes) {
            let place = ServedValue.Place(record: record, property: key, revision: revision)
            guard let large = known[place] ?? value.bytes.flatMap(value.described) else { continue }
            if known.count >= Self.most { known = [:] }
            known[place] = large
            result[key] = .large(large)
        }
        return result
    }
}
