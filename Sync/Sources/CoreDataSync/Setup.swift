// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Applies the first pull of a device page by page, so that its memory does not grow with the number of records.
import CoreData
import CoreDataSyncModel
import CoreDataSyncProtocol
import Foundation

/// One part of a first pull.
///
/// (1) A record is applied when all destinations of its links are in the store or in its part. Until then it waits in
///     the sidecar, so that the app never sees a link without its destination (Y3), and the model's rules hold (Y6).
/// (2) After the last page the waiting records are applied in passes over parts of them, and those of cycles at the end
///     together. A part that a rule forbids waits as well.
/// (3) Each part advances the place of the next pull. After a crash the pull goes on there.
/// (4) A newer state of a waiting record replaces the older one.
struct Setup {
    /// The waiting records of one save.
    private static let part = 1_000
    /// Passes that apply fewer records than this part of the waiting ones are not worth their reads.
    private static let leastShare = 20

    let engine: SyncEngine
    let session: PullSession

    /// - Returns: nil if the app has saved since the pull.
    func run() throws -> AppliedSummary? {
        guard let page = session.last else { return nil }
        var summary = AppliedSummary()
        guard let applied = try apply(session.states, page) else { return nil }
        summary.add(applied)
        guard page.isLast else { return summary }
        while true {
            let before = try waitingCount()
            guard before > 0, let applied = try pass(page) else { break }
            summary.add(applied)
            guard try (before - waitingCount()) * Self.leastShare >= before else { break }
        }
        let rest = try waiting(after: -1, limit: nil)
        var last = Application(engine: engine, part: rest.states, page: page)
        last.revision = page.revision
        guard let applied = try last.run(clearing: { try engine.sidecar.removeStagedRecords(rest.states.keys) }) else {
            return nil
        }
        summary.add(applied)
        return summary
    }

    /// Applies the waiting records that are ready, part by part (2).
    private func pass(_ page: SyncPage) throws -> AppliedSummary? {
        var (summary, number) = (AppliedSummary(), Int64(-1))
        while true {
            let part = try waiting(after: number, limit: Self.part)
            guard let last = part.last else { return summary }
            number = last
            guard let applied = try apply(part.states, page, areWaiting: true) else { return nil }
            summary.add(applied)
        }
    }

    /// Applies the records that are ready, and lets the others wait.
    private func apply(
        _ states: [UUID: SyncRecordState], _ page: SyncPage, areWaiting: Bool = false
    ) throws -> AppliedSummary? {
        let ready = try readyRecords(states)
        let others = ready.count == states.count ? [:] : states.filter { ready[$0.key] == nil }
        do {
            let applied = try Application(engine: engine, part: ready, page: page).run(
                staging: {
                    try engine.sidecar.state().isSettingUp = true
                    if !areWaiting { try stage(others) }
                }, clearing: { try engine.sidecar.removeStagedRecords(ready.keys) })
            if let applied { return applied }
        } catch {
            guard SyncFailure.isRule(error) else { throw error }
        }
        if areWaiting { return AppliedSummary() }
        try engine.sidecar.perform {
            try stage(states)
            let state = try engine.sidecar.state()
            state.after = page.next
            state.isSettingUp = true
            try engine.sidecar.save()
        }
        return AppliedSummary()
    }

    /// (1)
    private func readyRecords(_ states: [UUID: SyncRecordState]) throws -> [UUID: SyncRecordState] {
        let targets = states.mapValues(destinations).filter { !$0.value.isEmpty }
        if targets.isEmpty { return states }
        return try engine.sidecar.perform {
            let names = NameTable(engine.sidecar)
            try names.load(names: targets.values.joined())
            let missing = try targets.mapValues { found in try found.filter { try names.row(name: $0) == nil } }
                .filter { !$0.value.isEmpty }
            var ready = states
            while true {
                let blocked = missing.keys.filter { name in
                    ready[name] != nil && missing[name]?.contains { ready[$0]?.state != .present } ?? false
                }
                if blocked.isEmpty { return ready }
                for name in blocked { ready[name] = nil }
            }
        }
    }

    /// The destinations of a record by relationships of the device's model. Others change nothing on the device.
    private func destinations(_ state: SyncRecordState) -> [UUID] {
        guard let entity = engine.model.entities[state.entity] else { return [] }
        var found: [UUID] = []
        for key in entity.linkKeys { if case .link(let name)? = state.values[key] { found.append(name) } }
        for (key, names) in state.members where entity.members[key] != nil { found += names }
        return found
    }

    // MARK: Waiting records

    private func request() -> NSFetchRequest<NSManagedObject> {
        NSFetchRequest<NSManagedObject>(entityName: SidecarEntities.staged)
    }

    private func waitingCount() throws -> Int {
        try engine.sidecar.perform { try engine.sidecar.context.count(for: request()) }
    }

    /// - Parameter limit: nil for all.
    /// - Returns: the states, and the number of the last one.
    private func waiting(
        after number: Int64, limit: Int?
    ) throws -> (states: [UUID: SyncRecordState], last: Int64?) {
        try engine.sidecar.perform {
            let request = request()
            request.predicate = NSPredicate(format: "number > %lld", number)
            request.sortDescriptors = [NSSortDescriptor(key: "number", ascending: true)]
            if let limit { request.fetchLimit = limit }
            request.returnsObjectsAsFaults = false
            let rows = try engine.sidecar.context.fetch(request)
            var states: [UUID: SyncRecordState] = [:]
            for row in rows {
                if let state: SyncRecordState = row.unpacked("state") { states[state.name] = state }
            }
            return (states, (rows.last?.value(forKey: "number") as? NSNumber)?.int64Value)
        }
    }

    /// (4)
    private func stage(_ states: [UUID: SyncRecordState]) throws {
        guard !states.isEmpty else { return }
        try engine.sidecar.removeStagedRecords(states.keys)
        let last = request()
        last.sortDescriptors = [NSSortDescriptor(key: "number", ascending: false)]
        last.fetchLimit = 1
        let context = engine.sidecar.context
        var number = (try context.fetch(last).first?.value(forKey: "number") as? NSNumber)?.int64Value ?? 0
        for state in states.values.sorted(by: { $0.name.precedes($1.name) }) {
            number += 1
            let row = NSEntityDescription.insertNewObject(forEntityName: SidecarEntities.staged, into: context)
            row.setValue(state.name.text, forKey: "name")
            row.setValue(number, forKey: "number")
            row.pack(state, "state")
        }
    }
}

extension AppliedSummary {
    fileprivate mutating func add(_ other: AppliedSummary) {
        inserted += other.inserted
        updated += other.updated
        deleted += other.deleted
    }
}

extension SyncFailure {
    /// Whether the model's rules forbid a save.
    fileprivate static func isRule(_ error: any Error) -> Bool {
        let error = error as NSError
        return error.domain == NSCocoaErrorDomain
            && (NSManagedObjectValidationError..<1700 ~= error.code || error.code == NSValidationMultipleErrorsError)
    }
}
