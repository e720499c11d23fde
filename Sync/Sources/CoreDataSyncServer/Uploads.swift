// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Keeps the parts of large values that users send, until batches name them.
import CoreData
import CoreDataSyncProtocol
import Foundation

/// The large values that one user has sent (`Documentation/LargeData.md`, L2, L4, L7, L9).
///
/// # States of an upload
///     (none) ──first part──▶ partial ──last part──▶ whole ──batch──▶ taken ──compaction──▶ (none)
///                              └── the hash differs ──▶ dead ──▶ (none)
/// # Invariants
/// (1) A part and the number of bytes that are there are one save. The digest of these bytes is saved with them.
/// (2) A whole upload has its hash.
/// (3) An upload that goes is dead before its first part is removed, so that no upload lacks a part.
struct Uploads {
    /// The parts that one save removes.
    private static let removedAtOnce = 16
    let service: ServiceCore
    let context: NSManagedObjectContext
    let user: SyncUser

    private var sizes: LargeDataSizes { service.limits.large }

    // MARK: Parts

    /// Keeps a part if it is the next one.
    ///
    /// - Returns: the number of bytes that are there.
    /// - Throws: `SyncError` with `malformed` or `tooLarge`.
    func put(_ part: SyncPart) throws -> Int64 {
        guard SyncLargeValue.isHash(part.hash), part.size >= 1, part.offset >= 0, part.offset <= part.size else {
            throw SyncError(.malformed, "A part has a hash of 64 hexadecimal digits, a size, and an offset within it.")
        }
        guard part.size <= service.limits.largeValueSize else {
            throw SyncError(.tooLarge, "A value has at most \(service.limits.largeValueSize) bytes.")
        }
        let count = min(Int64(sizes.part), part.size - part.offset)
        guard part.bytes.isEmpty || part.offset % Int64(sizes.part) == 0 && part.bytes.count == count else {
            throw SyncError(.malformed, "A part has \(sizes.part) bytes, the last one the rest.")
        }
        for _ in 0..<8 {
            do { return try once(part) } catch {
                context.reset()
                switch SaveFailure(error) {
                case .conflict, .rules: continue
                case .other: throw error
                }
            }
        }
        throw SyncError(.unavailable, "Other requests sent the same part again and again.")
    }

    private func once(_ part: SyncPart) throws -> Int64 {
        var row = try existing(part.hash, part.size)
        if let dead = row, dead.isDead {
            try remove(dead)
            row = nil
        }
        let received = row?.received ?? 0
        guard !part.bytes.isEmpty, part.offset == received, received < part.size else {
            row?.use(service.environment.now())
            if context.hasChanges { try context.save() }
            return received
        }
        if row == nil { try makeRoom(for: part.size) }
        let upload =
            row ?? UploadRow.insert(part.hash, size: part.size, user: user.id, service.environment.now(), in: context)
        var digest = upload.digest
        digest.update(part.bytes)
        upload.use(service.environment.now())
        upload.received += Int64(part.bytes.count)
        upload.digest = digest
        if upload.received == part.size, digest.text != part.hash, !service.faults.contains(.keepsDamaged) {
            upload.isDead = true
            try remove(upload)
            return 0
        }
        UploadRow.insertPart(part.bytes, number: part.offset / Int64(sizes.part), of: upload, in: context)
        let count = upload.received
        try service.beforeSave()
        try context.save()
        try service.onSave()
        return count
    }

    /// Removes uploads that a batch has taken, the oldest first, if the user has no room for another one (L9).
    private func makeRoom(for size: Int64) throws {
        let rows = try UploadRow.all(of: user.id, in: context)
        var total = rows.reduce(size) { $0 + $1.size }
        for row in rows.sorted(by: { $0.used < $1.used }) where row.isTaken && total > service.limits.uploadSize {
            total -= row.size
            try remove(row)
        }
        guard total <= service.limits.uploadSize else {
            throw SyncError(.tooLarge, "The user has sent more data than batches have named.")
        }
    }

    private func existing(_ hash: String, _ size: Int64) throws -> UploadRow? {
        try UploadRow.existing(UploadRow.id(user.id, hash, size), in: context)
    }

    // MARK: Batches

    /// The changes with the bytes of their large values, which the user must have sent (L2).
    ///
    /// - Throws: `SyncError.missingData`.
    func resolved(_ request: SyncPush) throws -> [SyncChange] {
        var found: [String: Data] = [:]
        for large in request.largeValues {
            guard let row = try existing(large.hash, large.size), !row.isDead, row.received == large.size else {
                if service.faults.contains(.takesMissing) { continue }
                throw SyncError(.missingData, "The server lacks data of the batch: send them, then the batch.")
            }
            row.isTaken = true
            row.use(service.environment.now())
            found[large.hash] = try bytes(of: row)
        }
        if found.isEmpty, !service.faults.contains(.takesMissing) { return request.changes }
        return request.changes.map { change in
            var change = change
            change.fields = change.fields.mapValues { field in
                guard case .large(let large) = field.value else { return field }
                guard let bytes = found[large.hash] else { return SyncField(.null, field.stamp) }
                // Text that is no UTF-8 stays as it is, and is refused as a value of a wrong type.
                return SyncField(SyncValue(large.kind, bytes) ?? field.value, field.stamp)
            }
            return change
        }
    }

    private func bytes(of row: UploadRow) throws -> Data {
        var bytes = Data(capacity: Int(row.size))
        for number in 0..<(row.size + Int64(sizes.part) - 1) / Int64(sizes.part) {
            guard let part = try UploadRow.part(number, of: row.id, in: context) else {
                throw SyncError(.unavailable, "A part of sent data is missing in the server's store.")
            }
            bytes.append(part.value(forKey: "bytes") as? Data ?? Data())
            context.refresh(part, mergeChanges: false)
        }
        return bytes
    }

    // MARK: Removal

    /// Removes uploads that no request has used since a time (L7).
    ///
    /// - Returns: their number.
    static func removeUnused(
        since time: Date, _ service: ServiceCore, _ context: NSManagedObjectContext
    ) throws -> Int {
        var count = 0
        while let row = try UploadRow.unused(since: time, in: context) {
            try Uploads(service: service, context: context, user: SyncUser(id: row.user)).remove(row)
            count += 1
        }
        return count
    }

    /// (3)
    private func remove(_ row: UploadRow) throws {
        row.isDead = true
        try context.save()
        while true {
            let request = UploadRow.parts(of: row.id)
            request.fetchLimit = Self.removedAtOnce
            let parts = try context.fetch(request)
            if parts.isEmpty { break }
            parts.forEach(context.delete)
            try context.save()
        }
        context.delete(row.object)
        try context.save()
    }
}

/// The parts of one large value that one user has sent.
struct UploadRow {
    let object: NSManagedObject

    /// A user's hash is another upload than the same hash of another user: knowing a hash gives no bytes.
    static func id(_ user: String, _ hash: String, _ size: Int64) -> String { "\(hash) \(size) \(user)" }

    var id: String { object.value(forKey: "id") as? String ?? "" }
    var user: String { object.value(forKey: "user") as? String ?? "" }
    var size: Int64 { object.integer("size") }
    var received: Int64 {
        get { object.integer("received") }
        nonmutating set { object.setValue(newValue, forKey: "received") }
    }
    /// The digest of the bytes so far.
    var digest: SyncDigest {
        get { (object.value(forKey: "digest") as? Data).flatMap(SyncDigest.init(state:)) ?? SyncDigest() }
        nonmutating set { object.setValue(newValue.state, forKey: "digest") }
    }
    var used: Date { object.value(forKey: "used") as? Date ?? .distantPast }
    /// Whether a batch has named the value.
    var isTaken: Bool {
        get { object.value(forKey: "isTaken") as? Bool ?? false }
        nonmutating set { if newValue != isTaken { object.setValue(newValue, forKey: "isTaken") } }
    }
    var isDead: Bool {
        get { object.value(forKey: "isDead") as? Bool ?? false }
        nonmutating set { if newValue != isDead { object.setValue(newValue, forKey: "isDead") } }
    }

    /// A question after a question within a minute writes nothing.
    func use(_ time: Date) { if time > used.addingTimeInterval(60) { object.setValue(time, forKey: "used") } }

    private static func request(_ predicate: NSPredicate) -> NSFetchRequest<NSManagedObject> {
        let request = NSFetchRequest<NSManagedObject>(entityName: SyncEntityName.upload)
        request.predicate = predicate
        return request
    }

    static func existing(_ id: String, in context: NSManagedObjectContext) throws -> UploadRow? {
        try context.fetch(request(NSPredicate(format: "id == %@", id))).first.map(UploadRow.init)
    }

    static func all(of user: String, in context: NSManagedObjectContext) throws -> [UploadRow] {
        try context.fetch(request(NSPredicate(format: "user == %@", user))).map(UploadRow.init)
    }

    /// One upload that was not used since a time, or that is dead; nil without such an upload.
    static func unused(since time: Date, in context: NSManagedObjectContext) throws -> UploadRow? {
        let request = request(NSPredicate(format: "used < %@ OR isDead == YES", time as NSDate))
        request.fetchLimit = 1
        return try context.fetch(request).first.map(UploadRow.init)
    }

    static func insert(
        _ hash: String, size: Int64, user: String, _ time: Date, in context: NSManagedObjectContext
    ) -> UploadRow {
        let object = NSEntityDescription.insertNewObject(forEntityName: SyncEntityName.upload, into: context)
        object.setValue(id(user, hash, size), forKey: "id")
        object.setValue(user, forKey: "user")
        object.setValue(size, forKey: "size")
        object.setValue(Int64(0), forKey: "received")
        object.setValue(time, forKey: "used")
        object.setValue(false, forKey: "isTaken")
        object.setValue(false, forKey: "isDead")
        return UploadRow(object: object)
    }

    // MARK: Parts

    static func parts(of id: String) -> NSFetchRequest<NSManagedObject> {
        let request = NSFetchRequest<NSManagedObject>(entityName: SyncEntityName.uploadPart)
        request.predicate = NSPredicate(format: "upload == %@", id)
        return request
    }

    static func part(_ number: Int64, of id: String, in context: NSManagedObjectContext) throws -> NSManagedObject? {
        let request = parts(of: id)
        request.predicate = NSPredicate(format: "upload == %@ AND number == %lld", id, number)
        return try context.fetch(request).first
    }

    static func insertPart(
        _ bytes: Data, number: Int64, of upload: UploadRow, in context: NSManagedObjectContext
    ) {
        let object = NSEntityDescription.insertNewObject(forEntityName: SyncEntityName.uploadPart, into: context)
        object.setValue(upload.id, forKey: "upload")
        object.setValue(number, forKey: "number")
        object.setValue(bytes, forKey: "bytes")
    }
}
