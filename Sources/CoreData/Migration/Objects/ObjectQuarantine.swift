// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The source objects that a migration by objects cannot bring over, and the reasons.

import Foundation

/// # States of a pass
///     clean ──an object fails──▶ spoilt ──end of the pass──▶ the object is left out, and a new pass begins
///       └── end of the pass: the result counts
/// Used on the thread of the migration.
final class ObjectQuarantine {
    struct Failure {
        /// The name of the entity in the source.
        let entity: String
        /// The last path component of the object's URI.
        let place: String
        let code: Int
        let reason: String
    }

    /// The objects that later passes skip.
    private(set) var leftOut: [ObjectKey: Failure] = [:]
    private var found: [ObjectKey: Failure] = [:]

    var isEmpty: Bool { leftOut.isEmpty }

    func leavesOut(_ object: NSManagedObject) -> Bool { !leftOut.isEmpty && leftOut[object.objectID.objectKey] != nil }

    /// Records a failure in the current pass; only the first failure of an object is kept.
    func add(_ object: NSManagedObject, _ error: NSError) {
        let details = error.userInfo[NSDetailedErrorsKey] as? [NSError]
        let cause = details?.first ?? error
        let reason = cause.userInfo["reason"] as? String ?? cause.localizedDescription
        let failure = Failure(
            entity: object.entity.name ?? "", place: object.objectID.uriRepresentation().lastPathComponent,
            code: cause.code, reason: reason.hasSuffix(".") ? String(reason.dropLast()) : reason)
        let key = object.objectID.objectKey
        if found[key] == nil { found[key] = failure }
    }

    var isSpoilt: Bool { !found.isEmpty }

    /// Ends a pass.
    ///
    /// - Returns: whether another pass is needed.
    func endPass() -> Bool {
        defer { found = [:] }
        leftOut.merge(found) { first, _ in first }
        return !found.isEmpty
    }

    /// The quarantined objects, sorted by entity and key.
    ///
    /// - Parameter file: nil on a server.
    func rows(in file: QuarantineFile?, identifier: String) -> QuarantinedRows {
        let sorted = leftOut.sorted {
            $0.value.entity == $1.value.entity ? $0.key.key < $1.key.key : $0.value.entity < $1.value.entity
        }
        return QuarantinedRows(
            rows: sorted.map { _, failure in
                QuarantinedRow(
                    entity: failure.entity, place: failure.place, code: failure.code, reason: failure.reason)
            }, file: file, identifier: identifier)
    }

    /// The number of quarantined objects of each entity.
    var counts: [String: Int] { Dictionary(leftOut.values.map { ($0.entity, 1) }, uniquingKeysWith: +) }

    /// The keys of the quarantined objects of each entity.
    var keys: [String: Set<Int64>] {
        leftOut.reduce(into: [:]) { $0[$1.value.entity, default: []].insert($1.key.key) }
    }

    /// Writes the objects into a new file: a copy of a store that is no database, without all other objects.
    func write(from store: StoreLocation, _ model: NSManagedObjectModel, to url: URL) throws {
        try StoreFiles.copy(store.url, to: url)
        let place = StoreLocation(url: url, type: store.type, options: nil)
        let copy = try MigrationEndpoint(model, place, readOnly: false, nullifies: true)
        do {
            copy.setValidates(false)
            for entity in copy.model.entities where entity.superentity == nil {
                let request = NSFetchRequest<NSManagedObject>()
                request.entity = entity
                for object in try copy.context.fetch(request) where !leavesOut(object) { copy.context.delete(object) }
            }
            try copy.context.save()
        } catch {
            try? copy.close()
            throw error
        }
        try copy.close()
        StoreFiles.sync(url)
    }
}
