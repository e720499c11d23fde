// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Makes a batch of the app's saves since the last capture, in one commit of the sidecar.
import CoreData
import CoreDataSyncModel
import CoreDataSyncProtocol
import Foundation

/// One capture. The values are those of one moment, directly after the last transaction of the batch (Y3).
struct Capture {
    private static let mostRetries = 50
    /// The greatest number of changes in a batch of several groups.
    private static let batchSize = 5_000
    /// About the greatest number of bytes of such a batch.
    private static let batchBytes = 8 << 20

    let engine: SyncEngine
    let context: NSManagedObjectContext

    /// - Returns: the number of changes that wait because of this capture.
    func run() throws -> Int {
        try engine.sidecar.perform {
            let state = try engine.sidecar.state()
            for _ in 0..<Self.mostRetries {
                if let count = try context.performAndWait({ try once(state) }) { return count }
            }
            throw SyncFailure.busy
        }
    }

    /// - Returns: nil if the app saved meanwhile.
    private func once(_ state: StateRow) throws -> Int? {
        defer {
            try? context.setQueryGenerationFrom(nil)
            context.reset()
        }
        let history = AppHistory(context: context)
        let start = engine.passed ?? state.places.last
        let transactions = try history.transactions(after: start)
        let places = CapturedPlace.list(of: transactions)
        let last = places.last ?? start ?? .beginning
        let own = transactions.filter(\.isOfApp)
        if own.isEmpty, start != nil {
            engine.passed = last
            engine.passedPlaces += places
            return 0
        }
        try context.setQueryGenerationFrom(.current)
        var fold = HistoryFold(own, engine.model)
        if start == nil { fold.insert(try engine.objectIDs(context)) }
        // The first read pins the context, or the store has no generations and each read sees the present.
        let first = NSFetchRequest<NSManagedObject>(entityName: engine.anyEntity)
        first.fetchLimit = 1
        _ = try context.count(for: first)
        guard try history.last(after: last) == nil else { return nil }
        let names = NameTable(engine.sidecar)
        var clock = SyncHybridClock(last: state.clock)
        // The last index is that of objects which are older than the history.
        let present = engine.recaptureTime ?? engine.environment.now()
        let clocks = own.map { clock.next(engine.time(of: $0)) } + [clock.next(present)]
        var writer = ChangeWriter(
            engine: engine, context: context, names: names, isAgain: try names.hasRows(after: start),
            replica: state.replica, clocks: clocks,
            numbers: own.map(\.transactionNumber) + [0], marks: own.map { engine.mark(of: $0) })
        let changes = try writer.changes(&fold)
        if context.queryGenerationToken == nil, try history.last(after: last) != nil {
            engine.sidecar.context.rollback()
            return nil
        }
        try enqueue(changes, state, from: start)
        state.clock = clock.last
        let beginning = start == nil ? [CapturedPlace.beginning] : []
        state.places = state.places + beginning + engine.passedPlaces + places
        state.adopted = []
        engine.passed = nil
        engine.passedPlaces = []
        engine.recaptureTime = nil
        try engine.crash(.beforeCapture)
        try engine.sidecar.save()
        try engine.crash(.afterCapture)
        engine.acknowledge(last)
        return changes.count
    }

    /// Divides changes into batches of whole groups.
    private func enqueue(_ changes: [SyncChange], _ state: StateRow, from place: CapturedPlace?) throws {
        let groups = Dictionary(grouping: changes, by: \.group).sorted { $0.key < $1.key }.map(\.value)
        var batches: [[[SyncChange]]] = []
        var (count, bytes) = (0, 0)
        for group in groups {
            let size = group.reduce(0) { $0 + $1.size }
            if batches.isEmpty || count + group.count > Self.batchSize || bytes + size > Self.batchBytes {
                batches.append([])
                (count, bytes) = (0, 0)
            }
            batches[batches.count - 1].append(group)
            count += group.count
            bytes += size
        }
        for batch in batches {
            state.number += 1
            let numbered = batch.enumerated().flatMap { number, group in
                group.map { change in
                    var change = change
                    change.group = number
                    return change
                }
            }
            engine.sidecar.insert(
                SyncPush(
                    replica: state.replica, number: state.number, id: engine.environment.makeID(),
                    schema: engine.model.schema, observed: state.revision, changes: numbered),
                from: place, clock: state.clock)
        }
    }
}
