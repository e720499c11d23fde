// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Typed access to the objects of the entities of sync.
import CoreData
import CoreDataSyncProtocol
import Foundation

/// The one row that counts the revisions of the store.
struct StateRow {
    let object: NSManagedObject

    var revision: Int64 {
        get { object.integer("revision") }
        nonmutating set { object.setValue(newValue, forKey: "revision") }
    }
    var clock: UInt64 {
        get { UInt64(bitPattern: object.integer("clock")) }
        nonmutating set { object.setValue(Int64(bitPattern: newValue), forKey: "clock") }
    }
    /// Identifies this numbering of revisions.
    var epoch: String { object.value(forKey: "epoch") as? String ?? "" }
    /// The place in the store's history up to which other authors' transactions are folded.
    var folded: NSPersistentHistoryToken? {
        get {
            (object.value(forKey: "folded") as? Data).flatMap {
                try? NSKeyedUnarchiver.unarchivedObject(ofClass: NSPersistentHistoryToken.self, from: $0)
            }
        }
        nonmutating set {
            let data = newValue.flatMap {
                try? NSKeyedArchiver.archivedData(withRootObject: $0, requiringSecureCoding: true)
            }
            object.setValue(data, forKey: "folded")
        }
    }
    /// The version of the model at the last fold.
    var schema: Data? {
        get { object.value(forKey: "schema") as? Data }
        nonmutating set { object.setValue(newValue, forKey: "schema") }
    }
    /// Deletions up to this revision are removed: a device with an older state starts anew.
    var floor: Int64 {
        get { object.integer("floor") }
        nonmutating set { object.setValue(newValue, forKey: "floor") }
    }
    /// The tags of members of records up to this revision are collected.
    var settled: Int64 {
        get { object.integer("settled") }
        nonmutating set { object.setValue(newValue, forKey: "settled") }
    }
    /// The number of that place's transaction; -1 until all objects of the store had a record once.
    var foldedNumber: Int64 {
        get { object.integer("foldedNumber") }
        nonmutating set { object.setValue(newValue, forKey: "foldedNumber") }
    }

    /// The row of a store; nil before the first save of sync.
    static func existing(in context: NSManagedObjectContext) throws -> StateRow? {
        let request = NSFetchRequest<NSManagedObject>(entityName: SyncEntityName.state)
        request.fetchLimit = 1
        return try context.fetch(request).first.map(StateRow.init)
    }

    static func insert(in context: NSManagedObjectContext, epoch: UUID) -> StateRow {
        let object = NSEntityDescription.insertNewObject(forEntityName: SyncEntityName.state, into: context)
        object.setValue("state", forKey: "key")
        object.setValue(Int64(0), forKey: "revision")
        object.setValue(Int64(0), forKey: "clock")
        object.setValue(Int64(-1), forKey: "foldedNumber")
        object.setValue(Int64(0), forKey: "floor")
        object.setValue(epoch.text, forKey: "epoch")
        return StateRow(object: object)
    }
}

/// The names, stamps and revision of one record.
struct RecordRow {
    /// The state of the record with the name.
    enum State: Int16 {
        case present, deleted, merged
    }

    let object: NSManagedObject

    var name: UUID { UUID(text: object.value(forKey: "name") as? String ?? "") ?? SyncService.noName }
    var entityName: String { object.value(forKey: "entityName") as? String ?? "" }
    var state: State {
        get { State(rawValue: Int16(truncatingIfNeeded: object.integer("state"))) ?? .present }
        nonmutating set { object.setValue(newValue.rawValue, forKey: "state") }
    }
    var revision: Int64 {
        get { object.integer("revision") }
        nonmutating set { object.setValue(newValue, forKey: "revision") }
    }
    /// The id of the record's object, as a URI; nil unless it is present.
    var uri: String? {
        get { object.value(forKey: "object") as? String }
        nonmutating set { object.setValue(newValue, forKey: "object") }
    }
    /// The stamp of the deletion.
    var deletion: SyncStamp? {
        get { (object.value(forKey: "deletion") as? String).flatMap { SyncStamp($0) } }
        nonmutating set { object.setValue(newValue?.description, forKey: "deletion") }
    }
    /// The older name of a merged record.
    var into: UUID? {
        get { (object.value(forKey: "into") as? String).flatMap(UUID.init(text:)) }
        nonmutating set { object.setValue(newValue?.text, forKey: "into") }
    }
    /// The replica that has the record's present state, because the last revision is just as it sent it; nil otherwise.
    var origin: String? {
        get { object.value(forKey: "origin") as? String }
        nonmutating set { if newValue != origin { object.setValue(newValue, forKey: "origin") } }
    }
    var metadata: RecordMetadata {
        get {
            let data = object.value(forKey: "metadata") as? Data
            return data.flatMap { try? RecordMetadata(packed: $0) } ?? RecordMetadata()
        }
        nonmutating set { object.setValue(newValue.packed, forKey: "metadata") }
    }

    /// The record's state in its compact form, for the revision `formRevision` (`Documentation/Forms.md`).
    var form: Data? { object.value(forKey: "form") as? Data }
    var formRevision: Int64? { (object.value(forKey: "formRevision") as? NSNumber)?.int64Value }

    func set(_ form: Data, for revision: Int64) {
        object.setValue(form, forKey: "form")
        object.setValue(revision, forKey: "formRevision")
    }

    func removeForm() {
        guard formRevision != nil else { return }
        object.setValue(nil, forKey: "form")
        object.setValue(nil, forKey: "formRevision")
    }

    /// Gives the record a new revision without a change of its state (F1).
    func renumber(_ next: Int64) {
        if formRevision == revision { object.setValue(next, forKey: "formRevision") }
        revision = next
    }

    /// Values of properties that the server's model does not have, for devices with a newer one.
    var unknown: [String: SyncField] {
        get {
            let data = object.value(forKey: "unknown") as? Data
            return data.flatMap { try? JSONDecoder().decode([String: SyncField].self, from: $0) } ?? [:]
        }
        nonmutating set {
            guard newValue != unknown else { return }
            object.setValue(newValue.isEmpty ? nil : try? JSONEncoder().encode(newValue), forKey: "unknown")
        }
    }

    static func insert(_ name: UUID, _ entity: String, in context: NSManagedObjectContext) -> RecordRow {
        let object = NSEntityDescription.insertNewObject(forEntityName: SyncEntityName.record, into: context)
        object.setValue(name.text, forKey: "name")
        object.setValue(entity, forKey: "entityName")
        object.setValue(RecordMetadata.emptyForm, forKey: "metadata")
        let row = RecordRow(object: object)
        row.state = .present
        row.revision = 0
        return row
    }

    static func fetch(_ predicate: NSPredicate, in context: NSManagedObjectContext) throws -> [RecordRow] {
        let request = NSFetchRequest<NSManagedObject>(entityName: SyncEntityName.record)
        request.predicate = predicate
        request.returnsObjectsAsFaults = false
        return try context.fetch(request).map(RecordRow.init)
    }
}

/// The batches of one replica.
struct ReplicaRow {
    let object: NSManagedObject

    var replica: UUID? { (object.value(forKey: "replica") as? String).flatMap(UUID.init(text:)) }
    var user: String { object.value(forKey: "user") as? String ?? "" }
    /// The number of the last batch that was answered.
    var number: Int64 {
        get { object.integer("number") }
        nonmutating set { object.setValue(newValue, forKey: "number") }
    }
    /// The id of that batch.
    var batch: UUID? {
        get { (object.value(forKey: "batch") as? String).flatMap(UUID.init(text:)) }
        nonmutating set { object.setValue(newValue?.text, forKey: "batch") }
    }
    /// Its answer.
    var answer: SyncPushAnswer? {
        get { decode("answer") }
        nonmutating set { encode(newValue, "answer") }
    }
    /// The groups of the next batch that are done.
    var part: PartialBatch? {
        get { decode("part") }
        nonmutating set { encode(newValue, "part") }
    }

    /// The id of the scope that the replica pulls; nil before its first pull, and without shapes.
    var scope: String? {
        get { object.value(forKey: "scope") as? String }
        nonmutating set { object.setValue(newValue, forKey: "scope") }
    }

    private func decode<Value: Decodable>(_ key: String) -> Value? {
        (object.value(forKey: key) as? Data).flatMap { try? JSONDecoder().decode(Value.self, from: $0) }
    }

    private func encode(_ value: (some Encodable)?, _ key: String) {
        object.setValue(value.flatMap { try? JSONEncoder().encode($0) }, forKey: key)
    }

    /// The greatest revision that the replica has said to have; nil if it has not said one yet.
    var applied: Int64? { (object.value(forKey: "applied") as? NSNumber)?.int64Value }
    /// The time of the last request that was noted.
    var seen: Date { object.value(forKey: "seen") as? Date ?? .distantPast }

    /// Notes a request: its time, and the revision that the replica had applied. An older one changes nothing.
    func touch(_ time: Date, applied: Int64) {
        if time > seen { object.setValue(time, forKey: "seen") }
        if applied > self.applied ?? -1 { object.setValue(applied, forKey: "applied") }
    }

    /// Notes the answer of a batch that is done.
    func note(_ answer: SyncPushAnswer, of push: SyncPush, _ time: Date) {
        number = push.number
        batch = push.id
        self.answer = answer
        part = nil
        touch(time, applied: push.observed)
    }

    static func all(in context: NSManagedObjectContext) throws -> [ReplicaRow] {
        try context.fetch(NSFetchRequest<NSManagedObject>(entityName: SyncEntityName.replica)).map(ReplicaRow.init)
    }

    static func existing(_ replica: UUID, in context: NSManagedObjectContext) throws -> ReplicaRow? {
        let request = NSFetchRequest<NSManagedObject>(entityName: SyncEntityName.replica)
        request.predicate = NSPredicate(format: "replica == %@", replica.text)
        return try context.fetch(request).first.map(ReplicaRow.init)
    }

    static func existing(_ replicas: [UUID], in context: NSManagedObjectContext) throws -> [UUID: ReplicaRow] {
        let request = NSFetchRequest<NSManagedObject>(entityName: SyncEntityName.replica)
        request.predicate = NSPredicate(format: "replica IN %@", replicas.map(\.text))
        request.returnsObjectsAsFaults = false
        let rows = try context.fetch(request).map(ReplicaRow.init)
        return Dictionary(rows.compactMap { row in row.replica.map { ($0, row) } }) { first, _ in first }
    }

    static func insert(_ replica: UUID, user: String, _ time: Date, in context: NSManagedObjectContext) -> ReplicaRow {
        let object = NSEntityDescription.insertNewObject(forEntityName: SyncEntityName.replica, into: context)
        object.setValue(replica.text, forKey: "replica")
        object.setValue(user, forKey: "user")
        object.setValue(Int64(0), forKey: "number")
        object.setValue(time, forKey: "seen")
        return ReplicaRow(object: object)
    }
}

/// The outcomes of the first groups of a batch whose groups are applied one after the other.
struct PartialBatch: Codable {
    var batch: UUID
    var outcomes: [SyncOutcome]
}

extension NSManagedObject {
    func integer(_ key: String) -> Int64 { (value(forKey: key) as? NSNumber)?.int64Value ?? 0 }
}
