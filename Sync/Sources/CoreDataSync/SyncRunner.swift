// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Runs an engine over a transport, one step after the other.
import CoreData
import CoreDataSyncModel
import CoreDataSyncProtocol
import Foundation
import Synchronization

actor SyncRunner {
    private static let mostRounds = 50
    private static let mostTries = 5
    private static let interval = 60.0
    private static let longestPause = 300.0

    let board = Broadcast<SyncEvent>(keeping: 1_000)
    /// Runs each round; nil for a direct call.
    nonisolated let run = Mutex<SyncRoundRunner?>(nil)
    private let engine: SyncEngine
    private let transport: any SyncTransport
    private var running: Task<SyncReport, any Error>?
    private var loop: Task<Void, Never>?
    private var lastOrder = 0
    /// Whether the beginning of a first pull in parts was posted, and its end was not.
    private var isSettingUp = false

    init(
        _ coordinator: NSPersistentStoreCoordinator, _ transport: any SyncTransport, _ shapes: [String],
        _ environment: SyncEnvironment
    ) throws {
        engine = try SyncEngine(coordinator: coordinator, environment: environment, shapes: shapes)
        self.transport = transport
    }

    // MARK: Rounds

    func sync() async throws -> SyncReport {
        if let running { return try await running.value }
        let run = run.withLock { $0 }
        let task = Task {
            guard let run else { return try await round() }
            return try await run { try await self.round() }
        }
        running = task
        defer { running = nil }
        do {
            let report = try await task.value
            note(report, nil)
            board.post(.finished(report))
            return report
        } catch {
            note(SyncReport(), error)
            board.post(.failed(error as NSError))
            throw error
        }
    }

    /// The log is for people: a round that cannot be noted is done all the same.
    private func note(_ report: SyncReport, _ error: (any Error)?) {
        try? engine.sidecar.note(report, error, at: engine.environment.now())
    }

    private func round() async throws -> SyncReport {
        var report = SyncReport()
        try engine.resendMarkedChanges()
        for _ in 0..<Self.mostRounds {
            try engine.capture()
            do {
                try await push(&report)
                if try await pull(&report) { return report }
            } catch let error as SyncError where error.code == .forked || error.code == .gap {
                try engine.takeNewIdentity()
                board.post(.newIdentity(try engine.replica()))
            } catch let error as SyncError where error.code == .startAnew {
                try engine.startAnew()
            } catch let error as SyncFailure {
                // The changes are safe before the caller sees the error.
                if case .damagedBatch(let number) = error { try engine.mendDamagedBatches(number) }
                throw error
            }
        }
        throw SyncFailure.busy
    }

    private func push(_ report: inout SyncReport) async throws {
        while let push = try engine.nextPush() {
            board.post(.pushing(changes: push.changes.count))
            let answer = try await send(push)
            guard let summary = try engine.receive(answer) else { continue }
            report.sent += summary.changes
            report.refused += summary.refused
            report.superseded += summary.superseded
            report.merged += summary.merged
            board.post(.pushed(changes: summary.changes))
            if summary.refused > 0 { board.post(.refused(changes: summary.refused)) }
            if summary.superseded > 0 { board.post(.conflict(superseded: summary.superseded)) }
        }
    }

    /// Sends the large values of a batch, then the batch. The server may have removed some in between.
    private func send(_ push: SyncPush) async throws -> SyncPushAnswer {
        for _ in 0..<Self.mostTries {
            try await upload(push)
            do { return try await transport.push(push) } catch let error as SyncError where error.code == .missingData {
                engine.forgetUploads()
            }
        }
        throw SyncError(.missingData, "The server lacks data of the batch again and again.")
    }

    private func upload(_ push: SyncPush) async throws {
        var sent: [SyncPart: Int] = [:]
        while let part = try engine.nextUpload(for: push) {
            let place = SyncPart(hash: part.hash, size: part.size, offset: part.offset, bytes: Data())
            sent[place, default: 0] += 1
            if sent[place] == Self.mostTries { try engine.checkUploads(of: push) }
            guard sent[place, default: 0] <= Self.mostTries else {
                throw SyncError(.unavailable, "The server does not keep a part that it was sent.")
            }
            engine.receive(try await transport.put(part), for: part)
        }
    }

    /// Gets the large values of the present pages.
    ///
    /// - Returns: false if the server has newer states by now: pull again.
    private func download() async throws -> Bool {
        var tries: [SyncPartRequest: Int] = [:]
        while let request = try engine.nextDownload() {
            tries[request, default: 0] += 1
            guard tries[request, default: 0] <= Self.mostTries else {
                throw SyncError(.unavailable, "The server gives data that do not have their hash.")
            }
            do {
                try engine.receive(try await transport.get(request), for: request)
            } catch let error as SyncError where error.code == .missingData {
                engine.dropPages()
                return false
            }
        }
        return true
    }

    /// - Returns: false if the app saved meanwhile.
    private func pull(_ report: inout SyncReport) async throws -> Bool {
        var records = 0
        var isFirst = true
        var ahead: PageAhead?
        defer { ahead?.cancel() }
        repeat {
            try announceSetup()
            guard try await pull(&report, &records, &ahead, isFirst: isFirst) else { return false }
            isFirst = false
            try announceSetup()
        } while isSettingUp
        return true
    }

    /// Posts that a first pull in parts is under way, or that it has come to its end, also if that was by a pull anew.
    private func announceSetup() throws {
        let isUnderWay = try engine.isSettingUp()
        if isUnderWay != isSettingUp { board.post(.setup(isFinished: !isUnderWay)) }
        isSettingUp = isUnderWay
    }

    /// Applies all pages, or one page of a first pull.
    private func pull(
        _ report: inout SyncReport, _ records: inout Int, _ ahead: inout PageAhead?, isFirst: Bool
    ) async throws -> Bool {
        var request = try engine.beginPull()
        if request != nil, isFirst { board.post(.pulling) }
        while let present = request {
            let early = ahead
            ahead = nil
            let page: SyncPage
            if let found = try await early?.page(for: present) {
                page = found
            } else {
                page = try await transport.pull(present)
            }
            if !page.isLast, engine.appliesParts { ahead = PageAhead(after: page, present, transport) }
            records += page.records.count
            request = engine.receive(page, for: present)
            if !page.isLast { board.post(.progress(records: records)) }
        }
        guard try await download(), let applied = try engine.apply() else { return false }
        report.inserted += applied.inserted
        report.updated += applied.updated
        report.deleted += applied.deleted
        if applied != AppliedSummary() {
            board.post(.pulled(inserted: applied.inserted, updated: applied.updated, deleted: applied.deleted))
        }
        return true
    }

    // MARK: Loop

    /// Begins or ends the loop, unless a later order came before.
    func setRunning(_ isRunning: Bool, order: Int) {
        guard order > lastOrder else { return }
        lastOrder = order
        if !isRunning {
            loop?.cancel()
            loop = nil
        } else if loop == nil {
            // Its rounds are no part of the task that called `start()`.
            loop = Task.detached { await self.follow() }
        }
    }

    /// Syncs until the task is cancelled.
    private func follow() async {
        var pause = 1.0
        while !Task.isCancelled {
            // From before the round, so that a save during it is not missed.
            let saves = AppSaves(engine.coordinator)
            do {
                _ = try await sync()
                pause = 1
                await waitForWork(saves)
            } catch {
                try? await Task.sleep(for: .seconds(pause * Double.random(in: 0.5...1)))
                pause = min(pause * 2, Self.longestPause)
            }
        }
    }

    /// Returns after a save of the app, news of the server, or the interval.
    private func waitForWork(_ saves: AppSaves) async {
        let news = (try? engine.replica()).flatMap { transport.news(replica: $0, shapes: engine.shapes) }
        await withTaskGroup(of: Void.self) { group in
            group.addTask { try? await Task.sleep(for: .seconds(Self.interval)) }
            group.addTask { for await _ in saves.stream { return } }
            if let news {
                group.addTask {
                    var iterator = news.makeAsyncIterator()
                    // A connection that ends brings nothing: the interval decides.
                    if (try? await iterator.next()) == nil { try? await Task.sleep(for: .seconds(Self.interval)) }
                }
            }
            await group.next()
            group.cancelAll()
        }
    }

    // MARK: Questions

    func refusedChanges() throws -> [RefusedChange] {
        try engine.sidecar.perform { try engine.sidecar.refusals().compactMap(\.refusedChange) }
    }

    func data(of value: SyncLargeValue) throws -> Data? { try engine.contents.bytes(value) }

    func resendRefusedChange(_ id: UUID) throws { try engine.resendRefusedChange(id) }

    func forgetRefusedChange(_ id: UUID) throws {
        try engine.sidecar.perform {
            for row in try engine.sidecar.refusals() where row.value(forKey: "id") as? String == id.text {
                engine.sidecar.context.delete(row)
            }
            try engine.sidecar.save()
        }
    }

    func status(_ uri: String) throws -> SyncStatus {
        try engine.capture()
        return try engine.sidecar.perform {
            guard let name = try NameTable(engine.sidecar).row(uri: uri)?.name else { return .waiting }
            let waits = try engine.sidecar.batches().contains { row in
                (try? row.push())?.changes.contains { $0.name == name } ?? true
            }
            if waits { return .waiting }
            let isRefused = try engine.sidecar.refusals().contains {
                $0.value(forKey: "name") as? String == name.text
            }
            return isRefused ? .refused : .synced
        }
    }
}
