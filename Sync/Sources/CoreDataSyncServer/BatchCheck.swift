// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Refuses batches that no device makes, before anything is read.
import CoreDataSyncProtocol
import Foundation

/// The form and the size of a batch.
struct BatchCheck {
    private static let mostNested = 8
    let limits: SyncLimits

    /// - Throws: `SyncError` with `version`, `tooLarge` or `malformed`.
    func check(_ request: SyncPush) throws {
        guard request.version == syncProtocolVersion else {
            throw SyncError(.version, "The server speaks version \(syncProtocolVersion).")
        }
        guard request.changes.count <= limits.changes else {
            throw SyncError(.tooLarge, "A batch has at most \(limits.changes) changes.")
        }
        guard request.number >= 1, request.observed >= 0, request.replica != SyncService.noName else {
            throw SyncError(.malformed, "Numbers begin with 1, revisions with 0, and a replica has a random id.")
        }
        let sizes = request.changes.flatMap(\.largeValues).map(\.size)
        // Each size is bounded first, so that the sum cannot overflow.
        guard sizes.allSatisfy({ $0 <= limits.largeValueSize }), sizes.reduce(0, +) <= limits.largeValueSize else {
            throw SyncError(.tooLarge, "The large values of a batch have at most \(limits.largeValueSize) bytes.")
        }
        var names: Set<UUID> = []
        for change in request.changes {
            guard names.insert(change.name).inserted, change.name != SyncService.noName else {
                throw SyncError(.malformed, "A batch has one change for each record.")
            }
            guard change.group >= 0 else { throw SyncError(.malformed, "Groups count from 0.") }
            let isEmpty = change.fields.isEmpty && change.members.isEmpty && change.counters.isEmpty
            guard change.kind != .delete || isEmpty && change.places.isEmpty else {
                throw SyncError(.malformed, "A deletion has no values.")
            }
            for (key, field) in change.fields { try check(field.value, key, Self.mostNested) }
            for places in change.places.values { for place in places.values { try check(place) } }
        }
    }

    private func check(_ value: SyncValue, _ key: String, _ depth: Int) throws {
        let size =
            switch value {
            case .string(let text), .uri(let text), .decimal(let text): text.utf8.count
            case .data(let data), .transformed(let data): data.count
            default: 0
            }
        guard size <= limits.valueSize else { throw SyncError(.tooLarge, "The value of '\(key)' is too large.") }
        guard case .composite(let values) = value else { return }
        guard depth > 0 else { throw SyncError(.malformed, "The value of '\(key)' is nested too deeply.") }
        for part in values.values { try check(part, key, depth - 1) }
    }

    private func check(_ place: SyncPlace) throws {
        let isKey = place.key.utf8.allSatisfy { ($0 >= 0x30 && $0 <= 0x39) || ($0 >= 0x61 && $0 <= 0x7A) }
        guard isKey, !place.key.isEmpty, place.key.utf8.count <= 4096, place.key.last != "0" else {
            throw SyncError(.malformed, "A place is base-36 digits without a trailing zero.")
        }
    }
}
