// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Sends and gets the bytes of large values, part by part, around batches and pages.
import CoreData
import CoreDataSyncModel
package import CoreDataSyncProtocol
package import Foundation

/// The bytes of a large value are not in the sidecar, or not as its hash says.
struct MissingContent: Error {}

extension SyncEngine {
    // MARK: Sending

    /// A value as a batch has it: the bytes of a large one are kept in the sidecar (L1).
    func outgoing(_ value: SyncValue) throws -> SyncValue {
        guard value.isLarge(contents.sizes), let bytes = value.bytes, let large = value.described(bytes) else {
            return value
        }
        try contents.keep(bytes, large) { try crash(.beforePart) }
        return .large(large)
    }

    /// The next part to send before a batch: a question without bytes first, then the bytes that the server lacks.
    ///
    /// - Returns: nil if the server has everything.
    /// - Throws: `SyncFailure.damagedBatch` if the bytes are not in the sidecar.
    package func nextUpload(for push: SyncPush) throws -> SyncPart? {
        for large in push.largeValues {
            guard let received = onServer[large.hash] else {
                return SyncPart(hash: large.hash, size: large.size, offset: 0, bytes: Data())
            }
            if received >= large.size { continue }
            guard let bytes = try contents.part(large.hash, at: received) else {
                try contents.drop([large.hash])
                throw SyncFailure.damagedBatch(number: push.number)
            }
            return SyncPart(hash: large.hash, size: large.size, offset: received, bytes: bytes)
        }
        return nil
    }

    /// Takes the server's answer to a part.
    package func receive(_ answer: SyncPartAnswer, for part: SyncPart) {
        onServer[part.hash] = max(0, min(answer.received, part.size))
    }

    /// After `missingData` for a batch: the server is asked again how much it has.
    package func forgetUploads() { onServer = [:] }

    /// - Throws: `SyncFailure.damagedBatch` if the bytes that wait do not have their hashes.
    package func checkUploads(of push: SyncPush) throws {
        for large in push.largeValues where try contents.bytes(large) == nil {
            // They are kept again when the value is captured again.
            try contents.drop([large.hash])
            throw SyncFailure.damagedBatch(number: push.number)
        }
    }

    // MARK: Getting

    /// The next part that the present pull needs before it can be applied (L3); nil if everything is there.
    package func nextDownload() throws -> SyncPartRequest? {
        guard let session, session.isComplete, !faults.contains(.appliesMissing) else { return nil }
        if downloads == nil { downloads = try missing(session.states) }
        while let (request, large) = downloads?.first {
            let received = try contents.received(large.hash)
            if received < large.size {
                return SyncPartRequest(
                    record: request.record, property: request.property, hash: request.hash, offset: received)
            }
            downloads?.removeFirst()
        }
        return nil
    }

    /// Keeps a part that answers a request of the present pull; another one changes nothing.
    package func receive(_ bytes: Data, for request: SyncPartRequest) throws {
        guard let large = downloads?.first(where: { $0.value.hash == request.hash })?.value, !bytes.isEmpty else {
            return
        }
        try crash(.beforePart)
        try contents.append(
            bytes, at: request.offset, hash: large.hash, size: large.size, isTrusted: faults.contains(.trustsParts))
        try crash(.afterPart)
    }

    /// Drops the pages of the present pull: their data are gone from the server, which has newer states.
    package func dropPages() {
        session = nil
        downloads = nil
    }

    /// The large values of records that neither the sidecar nor the app's object has (L5).
    private func missing(
        _ states: [UUID: SyncRecordState]
    ) throws -> [(request: SyncPartRequest, value: SyncLargeValue)] {
        var wanted: [(SyncPartRequest, SyncLargeValue)] = []
        for state in states.values.sorted(by: { $0.name.precedes($1.name) }) where state.state == .present {
            guard model.entities[state.entity] != nil else { continue }
            for (key, value) in state.values.sorted(by: { $0.key < $1.key }) {
                guard case .large(let large) = value else { continue }
                let request = SyncPartRequest(record: state.name, property: key, hash: large.hash, offset: 0)
                wanted.append((request, large))
            }
        }
        guard !wanted.isEmpty else { return [] }
        return try sidecar.perform {
            let names = NameTable(sidecar)
            let context = newContext()
            try names.load(names: wanted.map(\.0.record))
            return try context.performAndWait {
                try wanted.filter { request, large in
                    if try contents.isComplete(large) { return false }
                    guard let row = try names.row(name: request.record), let object = try object(row, context),
                        let attribute = model.entity(of: object)?.attributes[request.property]
                    else { return true }
                    defer { context.refresh(object, mergeChanges: false) }
                    return try !object.holds(large, attribute)
                }
            }
        }
    }

    /// A value of a page with its bytes.
    ///
    /// - Throws: `MissingContent`.
    func incoming(_ value: SyncValue) throws -> SyncValue {
        guard case .large(let large) = value else { return value }
        if faults.contains(.appliesMissing), try !contents.isComplete(large) { return .null }
        if faults.contains(.trustsParts), let bytes = try contents.uncheckedBytes(large) {
            return SyncValue(large.kind, bytes) ?? .null
        }
        guard let bytes = try contents.bytes(large), let whole = SyncValue(large.kind, bytes) else {
            // Damaged on the disk: the bytes come again.
            try contents.drop([large.hash])
            throw MissingContent()
        }
        return whole
    }

    // MARK: Removal

    /// Removes bytes that no batch, no refused change and no waiting record names (L7).
    ///
    /// - Parameter candidates: nil for all bytes.
    func dropUnusedContents(among candidates: Set<String>? = nil) throws {
        if candidates?.isEmpty ?? false { return }
        guard try !contents.isEmpty() else { return }
        let used = try sidecar.perform { try sidecar.namedContents() }
        let all = try candidates ?? contents.hashes()
        try contents.drop(all.subtracting(used))
    }
}

extension NSManagedObject {
    /// Whether an attribute has the bytes of a hash.
    func holds(_ large: SyncLargeValue, _ attribute: NSAttributeDescription) throws -> Bool {
        let value = try SyncValueCoding.encode(value(forKey: attribute.name), attribute)
        guard let bytes = value.bytes, Int64(bytes.count) == large.size else { return false }
        return value.described(bytes) == large
    }
}

extension Sidecar {
    /// The hashes that waiting batches, refused changes and waiting records name.
    func namedContents() throws -> Set<String> {
        var hashes: Set<String> = []
        for row in try batches() { hashes.formUnion((try? row.push())?.largeValues.map(\.hash) ?? []) }
        for row in try refusals() {
            let change: SyncChange? = row.decoded("change")
            hashes.formUnion(change?.largeValues.map(\.hash) ?? [])
        }
        for row in try context.fetch(NSFetchRequest<NSManagedObject>(entityName: SidecarEntities.staged)) {
            guard let state: SyncRecordState = row.unpacked("state") else { continue }
            for value in state.values.values { if case .large(let large) = value { hashes.insert(large.hash) } }
        }
        return hashes
    }
}
