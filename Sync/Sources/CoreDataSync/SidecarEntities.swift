// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The model of the sidecar store, and typed access to its objects.
import CoreData
import CoreDataSyncProtocol
import Foundation

enum SidecarEntities {
    static let state = "SyncState"
    static let name = "SyncName"
    static let batch = "SyncBatch"
    static let refusal = "SyncRefusedChange"
    static let round = "SyncRound"
    static let staged = "SyncStagedRecord"
    static let content = "SyncContent"
    static let contentPart = "SyncContentPart"

    static func model() -> NSManagedObjectModel {
        let model = NSManagedObjectModel()
        model.entities = [
            entity(
                state,
                [
                    ("key", .stringAttributeType, false), ("replica", .stringAttributeType, false),
                    ("number", .integer64AttributeType, false), ("revision", .integer64AttributeType, false),
                    ("clock", .integer64AttributeType, false), ("after", .stringAttributeType, true),
                    ("places", .binaryDataAttributeType, true), ("journal", .binaryDataAttributeType, true),
                    ("removals", .binaryDataAttributeType, true), ("adopted", .binaryDataAttributeType, true),
                    ("schema", .binaryDataAttributeType, true), ("anew", .booleanAttributeType, false),
                    ("setup", .booleanAttributeType, false),
                ], unique: "key"),
            entity(
                name,
                [
                    ("name", .stringAttributeType, false), ("object", .stringAttributeType, false),
                    ("number", .integer64AttributeType, false), ("known", .binaryDataAttributeType, true),
                ], unique: "name", indexes: "object", "number"),
            entity(
                batch,
                [
                    ("number", .integer64AttributeType, false), ("push", .binaryDataAttributeType, false),
                    ("place", .binaryDataAttributeType, true), ("clock", .integer64AttributeType, true),
                ], unique: "number"),
            entity(
                refusal,
                [
                    ("id", .stringAttributeType, false), ("name", .stringAttributeType, false),
                    ("date", .dateAttributeType, false), ("change", .binaryDataAttributeType, false),
                    ("reasons", .binaryDataAttributeType, false), ("group", .stringAttributeType, true),
                    ("resend", .booleanAttributeType, true),
                ], unique: "id"),
            entity(
                round, [("number", .integer64AttributeType, false), ("round", .binaryDataAttributeType, false)],
                unique: "number"),
            entity(
                staged,
                [
                    ("name", .stringAttributeType, false), ("number", .integer64AttributeType, false),
                    ("state", .binaryDataAttributeType, false),
                ], unique: "name", indexes: "number"),
            entity(
                content,
                [
                    ("content", .stringAttributeType, false), ("received", .integer64AttributeType, false),
                    ("digest", .binaryDataAttributeType, true),
                ], unique: "content"),
            entity(
                contentPart,
                [
                    ("content", .stringAttributeType, false), ("number", .integer64AttributeType, false),
                    ("bytes", .binaryDataAttributeType, false),
                ], unique: "content", "number"),
        ]
        return model
    }

    private static func entity(
        _ name: String, _ attributes: [(String, NSAttributeType, Bool)], unique: String..., indexes: String...
    ) -> NSEntityDescription {
        let entity = NSEntityDescription()
        entity.name = name
        entity.properties = attributes.map { name, type, isOptional in
            let attribute = NSAttributeDescription()
            attribute.name = name
            attribute.attributeType = type
            attribute.isOptional = isOptional
            return attribute
        }
        entity.uniquenessConstraints = [unique]
        entity.indexes = indexes.compactMap { entity.attributesByName[$0] }.map { property in
            NSFetchIndexDescription(
                name: "by" + property.name.capitalized,
                elements: [NSFetchIndexElementDescription(property: property, collationType: .binary)])
        }
        return entity
    }
}

/// A place in the app's history, recognizable after the store was restored.
struct CapturedPlace {
    /// The number of the transaction; 0 before the first one.
    var number: Int64
    /// The bits of its time, seconds since 2001.
    var time: UInt64
    /// For requests after the place. It is not stored, because its archive is slow to write and to read: a process
    /// that has none takes it from the transaction with the number and the time.
    var token: NSPersistentHistoryToken?
    /// Whether it is the beginning of the history or the same transaction as another place.
    func isSame(_ other: CapturedPlace) -> Bool { number == other.number && (number == 0 || time == other.time) }

    static var beginning: CapturedPlace { CapturedPlace(number: 0, time: 0) }

    /// A place without a token.
    init(number: Int64, time: UInt64) {
        self.number = number
        self.time = time
    }

    init(_ transaction: NSPersistentHistoryTransaction) {
        self.init(remembered: transaction)
        token = transaction.token
    }

    /// A place without a token.
    private init(remembered transaction: NSPersistentHistoryTransaction) {
        number = transaction.transactionNumber
        time = transaction.timestamp.timeIntervalSinceReferenceDate.bitPattern
    }

    /// The places of transactions that follow each other. Only the last one gets a token.
    static func list(of transactions: [NSPersistentHistoryTransaction]) -> [CapturedPlace] {
        guard let last = transactions.last else { return [] }
        return transactions[..<(transactions.count - 1)].map { CapturedPlace(remembered: $0) } + [CapturedPlace(last)]
    }
}

/// The last sent or received state of a record's to-many relationships and counters.
struct KnownState: Equatable {
    var members: [String: [UUID]] = [:]
    /// By ordered relationship, then by the member's name as text.
    var orders: [String: [String: String]] = [:]
    var counters: [String: Int64] = [:]
    /// To-one relationships that lead to records which the device does not have: their nil is not sent.
    var outside: [String]?
    /// Values of properties that the device's model does not have: part of the whole record.
    var unknown: [String: SyncValue]?
}

/// The state that the sidecar takes over when the app's store has been saved with the author `sync:ID`.
struct Journal {
    struct Named {
        var name: UUID
        var object: String
        var known: KnownState
    }

    var id: UUID
    var after: String
    var revision: Int64
    var clock: UInt64
    var named: [Named]
    /// Names without an object from now on.
    var forgotten: [UUID]
}

/// The one row about the replica.
struct StateRow {
    let object: NSManagedObject
    let sidecar: Sidecar

    var replica: UUID {
        get { UUID(text: object.value(forKey: "replica") as? String ?? "") ?? UUID() }
        nonmutating set { object.setValue(newValue.text, forKey: "replica") }
    }
    /// The number of the last batch.
    var number: Int64 {
        get { object.integer("number") }
        nonmutating set { object.setValue(newValue, forKey: "number") }
    }
    /// The server's revision whose state is applied.
    var revision: Int64 {
        get { object.integer("revision") }
        nonmutating set { object.setValue(newValue, forKey: "revision") }
    }
    var clock: UInt64 {
        get { UInt64(bitPattern: object.integer("clock")) }
        nonmutating set { object.setValue(Int64(bitPattern: newValue), forKey: "clock") }
    }
    /// The place for the next pull; nil for everything.
    var after: String? {
        get { object.value(forKey: "after") as? String }
        nonmutating set { object.setValue(newValue, forKey: "after") }
    }
    /// Whether the next pull must bring what this replica sent, too: the app's objects are not known to have it.
    var isAnew: Bool {
        get { object.value(forKey: "anew") as? Bool ?? false }
        nonmutating set { object.setValue(newValue, forKey: "anew") }
    }
    /// Whether the first pull into the store is under way, in parts.
    var isSettingUp: Bool {
        get { object.value(forKey: "setup") as? Bool ?? false }
        nonmutating set { object.setValue(newValue, forKey: "setup") }
    }
    /// The last transactions that were captured or that sync made, the present place last; empty before the first
    /// capture. Only the last one has a token, if this process has met it.
    var places: [CapturedPlace] {
        get {
            var places = (object.unpacked("places") as CapturedPlaces?)?.list ?? []
            if let last = places.indices.last, let known = sidecar.lastPlace, known.isSame(places[last]) {
                places[last] = known
            }
            return places
        }
        nonmutating set {
            object.pack(CapturedPlaces(list: Array(newValue.suffix(Self.mostPlaces))), "places")
            if let last = newValue.last, last.token != nil { sidecar.lastPlace = last }
        }
    }
    /// An older backup than so many transactions is a store that the sidecar does not know.
    private static let mostPlaces = 512
    /// The version of the app's model at the last start.
    var schema: SyncSchema? {
        get { object.decoded("schema") }
        nonmutating set { object.encode(newValue, "schema") }
    }
    /// The ids of applications after the present place whose transactions `places` does not list.
    var adopted: [UUID] {
        get { object.decoded("adopted") ?? [] }
        nonmutating set { if newValue != adopted { object.encode(newValue, "adopted") } }
    }
    var journal: Journal? {
        get { object.unpacked("journal") }
        nonmutating set { object.pack(newValue, "journal") }
    }
    /// Names of refused insertions, whose objects the next application removes.
    var removals: [UUID] {
        get { object.decoded("removals") ?? [] }
        nonmutating set { object.encode(newValue, "removals") }
    }
}

/// A batch that waits for its answer.
struct BatchRow {
    let object: NSManagedObject

    var number: Int64 { object.integer("number") }
    /// The stored form of the batch.
    var form: Data? { object.value(forKey: "push") as? Data }
    /// - Throws: `SyncFailure.damagedBatch` for bytes that are no batch with the row's number.
    func push() throws -> SyncPush {
        guard let push: SyncPush = object.unpacked("push"), push.number == number else {
            throw SyncFailure.damagedBatch(number: number)
        }
        return push
    }
    func set(_ push: SyncPush) {
        object.pack(push, "push")
        object.setValue(push.number, forKey: "number")
    }
    /// The place in the app's history from which the batch was captured; nil if it was made otherwise.
    var place: CapturedPlace? {
        get { (object.unpacked("place") as CapturedPlaces?)?.list.first }
        nonmutating set { object.pack(newValue.map { CapturedPlaces(list: [$0]) }, "place") }
    }
    /// The replica's clock before the capture.
    var clock: UInt64 {
        get { UInt64(bitPattern: object.integer("clock")) }
        nonmutating set { object.setValue(Int64(bitPattern: newValue), forKey: "clock") }
    }
}

extension NSManagedObject {
    func integer(_ key: String) -> Int64 { (value(forKey: key) as? NSNumber)?.int64Value ?? 0 }

    func decoded<Value: Decodable>(_ key: String) -> Value? {
        (value(forKey: key) as? Data).flatMap { try? JSONDecoder().decode(Value.self, from: $0) }
    }

    func unpacked<Value: PackedCodable>(_ key: String) -> Value? {
        (value(forKey: key) as? Data).flatMap { try? Value(packed: $0) }
    }

    func pack(_ value: (some PackedCodable)?, _ key: String) { setValue(value?.packed, forKey: key) }

    func encode(_ value: (some Encodable)?, _ key: String) {
        setValue(value.flatMap { try? JSONEncoder().encode($0) }, forKey: key)
    }
}
