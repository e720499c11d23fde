// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The bytes of large values in the sidecar: those that wait to be sent, and those that have arrived.
import CoreData
import CoreDataSyncProtocol
import Foundation

/// Bytes by their hash, in parts (`Documentation/LargeData.md`, L3 to L5, L7).
///
/// (1) A part and the number of bytes that are there are one commit, so a transfer goes on after the last commit.
/// (2) Bytes are given only if they have their hash.
final class ContentStore {
    private let context: NSManagedObjectContext
    let sizes: LargeDataSizes

    init(_ container: NSPersistentContainer, _ sizes: LargeDataSizes) {
        context = container.newBackgroundContext()
        context.performAndWait { [context] in context.undoManager = nil }
        self.sizes = sizes
    }

    private func perform<Result>(_ body: () throws -> Result) throws -> Result {
        try context.performAndWait {
            defer { context.reset() }
            return try body()
        }
    }

    // MARK: Bytes

    /// The number of bytes that are there.
    func received(_ hash: String) throws -> Int64 { try perform { try row(hash)?.integer("received") ?? 0 } }

    func isComplete(_ large: SyncLargeValue) throws -> Bool { try received(large.hash) == large.size }

    /// Keeps a part if it is the next one, and drops all parts if the last one shows that they are not those of the
    /// hash.
    ///
    /// - Parameter isTrusted: whether the bytes are not compared with the hash, because they were hashed just now.
    func append(
        _ bytes: Data, at offset: Int64, hash: String, size: Int64, isTrusted: Bool = false
    ) throws {
        try perform {
            let row = try row(hash) ?? insert(hash)
            guard row.integer("received") == offset, offset < size else { return }
            var digest = (row.value(forKey: "digest") as? Data).flatMap(SyncDigest.init(state:)) ?? SyncDigest()
            if !isTrusted { digest.update(bytes) }
            let received = offset + Int64(bytes.count)
            guard received <= size, received < size || isTrusted || digest.text == hash else {
                return try remove([hash])
            }
            row.setValue(received, forKey: "received")
            row.setValue(digest.state, forKey: "digest")
            let part = NSEntityDescription.insertNewObject(forEntityName: SidecarEntities.contentPart, into: context)
            part.setValue(hash, forKey: "content")
            part.setValue(offset / Int64(sizes.part), forKey: "number")
            part.setValue(bytes, forKey: "bytes")
            try context.save()
        }
    }

    /// Keeps the bytes of a value, unless they are there.
    ///
    /// - Parameter step: called before each commit.
    func keep(_ bytes: Data, _ large: SyncLargeValue, step: () throws -> Void) throws {
        var offset = try received(large.hash)
        while offset < large.size {
            let start = bytes.startIndex + Int(offset)
            let part = bytes[start..<min(start + sizes.part, bytes.endIndex)]
            try step()
            try append(Data(part), at: offset, hash: large.hash, size: large.size, isTrusted: true)
            offset += Int64(part.count)
        }
    }

    /// The part at a place; nil if it is not there.
    func part(_ hash: String, at offset: Int64) throws -> Data? {
        try perform { try part(hash, offset / Int64(sizes.part))?.value(forKey: "bytes") as? Data }
    }

    /// All bytes; nil if some are missing or damaged.
    func bytes(_ large: SyncLargeValue) throws -> Data? {
        guard let bytes = try uncheckedBytes(large), SyncDigest.text(of: bytes) == large.hash else { return nil }
        return bytes
    }

    /// All bytes, without a look at their hash; nil if some are missing.
    func uncheckedBytes(_ large: SyncLargeValue) throws -> Data? {
        guard try isComplete(large) else { return nil }
        return try perform {
            var bytes = Data(capacity: Int(large.size))
            for number in 0..<(large.size + Int64(sizes.part) - 1) / Int64(sizes.part) {
                guard let part = try part(large.hash, number) else { return nil }
                bytes.append(part.value(forKey: "bytes") as? Data ?? Data())
                context.refresh(part, mergeChanges: false)
            }
            return bytes
        }
    }

    // MARK: Removal

    func isEmpty() throws -> Bool {
        let request = NSFetchRequest<NSManagedObject>(entityName: SidecarEntities.content)
        return try perform { try context.count(for: request) == 0 }
    }

    /// The hashes of all bytes, complete or not.
    func hashes() throws -> Set<String> {
        try perform {
            let request = NSFetchRequest<NSManagedObject>(entityName: SidecarEntities.content)
            return Set(try context.fetch(request).compactMap { $0.value(forKey: "content") as? String })
        }
    }

    func drop(_ hashes: Set<String>) throws { try perform { try remove(hashes) } }

    /// The row goes first: parts without it are replaced when the bytes come again.
    private func remove(_ hashes: Set<String>) throws {
        for hash in hashes.sorted() {
            if let row = try row(hash) {
                context.delete(row)
                try context.save()
            }
            while true {
                let request = parts(hash)
                request.fetchLimit = 16
                let found = try context.fetch(request)
                if found.isEmpty { break }
                found.forEach(context.delete)
                try context.save()
            }
        }
    }

    // MARK: Rows

    private func row(_ hash: String) throws -> NSManagedObject? {
        let request = NSFetchRequest<NSManagedObject>(entityName: SidecarEntities.content)
        request.predicate = NSPredicate(format: "content == %@", hash)
        return try context.fetch(request).first
    }

    private func insert(_ hash: String) throws -> NSManagedObject {
        // Parts that a process left behind when it ended during a removal.
        try remove([hash])
        let row = NSEntityDescription.insertNewObject(forEntityName: SidecarEntities.content, into: context)
        row.setValue(hash, forKey: "content")
        row.setValue(Int64(0), forKey: "received")
        return row
    }

    private func parts(_ hash: String) -> NSFetchRequest<NSManagedObject> {
        let request = NSFetchRequest<NSManagedObject>(entityName: SidecarEntities.contentPart)
        request.predicate = NSPredicate(format: "content == %@", hash)
        return request
    }

    private func part(_ hash: String, _ number: Int64) throws -> NSManagedObject? {
        let request = parts(hash)
        request.predicate = NSPredicate(format: "content == %@ AND number == %lld", hash, number)
        return try context.fetch(request).first
    }
}
