// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Runs devices, a server, a network and clocks of one seed over a queue of virtual time.
package import CoreData
import CoreDataSync
import CoreDataSyncProtocol
import CoreDataSyncServer
import Foundation

/// A promise that did not hold.
package struct SimulationViolation: Error, CustomStringConvertible {
    package let invariant: String
    package let text: String
    package let time: Double
    package var description: String { "\(invariant) at \(Int(time)) s: \(text)" }
}

/// One run.
package final class Simulation {
    /// The events that are due later.
    enum Action {
        case event(SimulationEvent)
        case request(device: Int, serial: Int, SimulationRequest)
        case reply(device: Int, serial: Int, SimulationRequest, SimulationReply)
    }

    typealias ConcurrentPush = (device: SimulatedDevice, serial: Int, push: SyncPush)

    package private(set) var figures = SimulationFigures()
    let fault: PlantedFault?
    let server: SimulatedServer
    let devices: [SimulatedDevice]
    var random: SimulationRandom
    private var queue: [(time: Double, order: Int, action: Action)] = []
    private var order = 0
    private(set) var time = 0.0
    private let report: ((String) -> Void)?
    /// The folder of the devices' files; nil for stores in memory.
    let folder: URL?
    /// The batches that were answered once.
    private var answered: Set<UUID> = []

    /// - Parameters:
    ///   - events: nil for all events of the seed.
    ///   - log: gets a line for each thing that happens. Two runs of a seed give equal lines.
    package init(
        seed: UInt64, fault: PlantedFault? = nil, events: [SimulationEvent]? = nil, log: ((String) -> Void)? = nil
    ) throws {
        self.fault = fault
        report = log
        random = SimulationRandom(seed: seed)
        let ids = IDSource(seed: seed ^ 0xA5A5)
        let model = SimulationModel.make()
        server = try SimulatedServer(model, ids, hasOracle: seed % 2 == 0)
        if case .server(let fault) = fault { server.plant([fault]) }
        let count = Int.random(in: seed % 8 == 5 ? 5...8 : 2...4, using: &random)
        if Self.hasShapes(seed) {
            for user in SimulationView.users { server.authority.views[user] = SimulationView(user: user) }
        }
        folder = try Self.hasFiles(seed) ? Self.makeFolder() : nil
        devices = try (0..<count).map { [folder] in
            try SimulatedDevice($0, isOld: Self.isMixed(seed) && $0 % 2 == 1, ids, fault, folder: folder)
        }
        for event in events ?? Self.events(seed: seed) { add(event.time, .event(event)) }
    }

    deinit { if let folder { try? FileManager.default.removeItem(at: folder) } }

    private static func makeFolder() throws -> URL {
        let memory = URL(fileURLWithPath: "/dev/shm")
        let base =
            FileManager.default.fileExists(atPath: memory.path)
            ? memory : FileManager.default.temporaryDirectory
        let folder = base.appendingPathComponent("sync-simulation-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        return folder
    }

    private func add(_ time: Double, _ action: Action) {
        order += 1
        queue.append((time, order, action))
    }

    /// - Throws: `SimulationViolation` for a promise that did not hold; other errors are defects, too.
    package func run() throws {
        while let index = queue.indices.min(by: {
            (queue[$0].time, queue[$0].order) < (queue[$1].time, queue[$1].order)
        }) {
            let item = queue.remove(at: index)
            time = max(time, item.time)
            for device in devices { device.clock.time = time }
            server.clock.time = time
            try act(item.action)
        }
        try settle()
    }

    func violation(_ invariant: String, _ text: String) -> SimulationViolation {
        SimulationViolation(invariant: invariant, text: text, time: time)
    }

    private func log(_ text: @autoclosure () -> String) { report?(String(format: "%7.2f ", time) + text()) }

    /// The container of the server, which ends with the run.
    package var serverContainer: NSPersistentContainer { server.container }

    // MARK: Actions

    private func act(_ action: Action) throws {
        switch action {
        case .event(let event): try act(event)
        case .request(let device, let serial, let request): try serve(devices[device], serial, request)
        case .reply(let device, let serial, let request, let reply):
            // A connection ends with its process and its time; a late reply reaches nobody.
            guard devices[device].serial == serial else { return }
            try take(devices[device], request, reply)
        }
    }

    private func act(_ event: SimulationEvent) throws {
        figures.operations += 1
        let device = devices[event.device % devices.count]
        var random = SimulationRandom(seed: event.seed)
        switch event.kind {
        case .edit:
            if try device.edit(random, isShaped: server.view(ofDevice: 0) != nil) { figures.edits += 1 }
            log("edit on \(device.number)")
        case .serverEdit:
            guard server.oracle == nil else { return }
            log("edit on the server")
            try server.edit(random)
        case .clockJump:
            device.clock.offset = Double.random(in: -3600...3600, using: &random)
        case .shapes:
            server.authority.views[SimulationView.user(ofDevice: device.number)]?.change(&random)
            log("other shapes for \(device.number)")
        case .tag: try device.addTag(&random)
        case .retag:
            // In two batches: the addition has another tag than the one that was removed.
            try guarding(device) {
                guard let tag = try device.setTag(nil, &random) else { return }
                try device.engine.capture()
                _ = try device.setTag(tag, &random)
            }
        case .cover: try device.addCover(&random)
        case .moveCover: try device.moveCover(&random)
        case .damage: try device.damageBatch()
        case .untag: _ = try device.setTag(nil, &random)
        case .compact: try server.compact(inactivity: 1e9)
        case .partition: device.isolatedUntil = time + Double.random(in: 1...60, using: &random)
        case .crash, .diskError:
            device.stepsToCrash = Int.random(in: 1...12, using: &random)
            device.failsOnly = if case .diskError = event.kind { true } else { false }
        case .resend: try guarding(device) { try device.resend(&random) }
        case .backup: try device.backUp()
        case .restore:
            let isBoth = random.chance(0.5)
            guard try device.restore(isBoth: isBoth) else { return }
            log("device \(device.number) is restored, \(isBoth ? "both stores" : "the app's store")")
            figures.restored += 1
        case .sync:
            device.random = random
            try guarding(device) { try self.next(device) }
        }
    }

    /// Ends the process of a device at a step that a crash chose, and starts it again.
    private func guarding(_ device: SimulatedDevice, _ body: () throws -> Void) throws {
        do { try body() } catch is SimulatedDiskError {
            log("the disk of \(device.number) failed")
        } catch SyncFailure.damagedBatch(let number) {
            log("batch \(number) of \(device.number) is damaged")
            try guarding(device) { try device.mend(number) }
        } catch is SimulatedCrash {
            figures.crashes += 1
            log("crash of \(device.number)")
            try device.start()
            try check(device)
        }
    }

    /// Sends the next request of a device, unless one is under way.
    private func next(_ device: SimulatedDevice) throws {
        if let sent = device.sent, time < sent + 20 { return }
        device.sent = nil
        device.serial += 1
        try device.engine.capture()
        if let push = try device.engine.nextPush() {
            send(device, try device.engine.nextUpload(for: push).map { .put($0) } ?? .push(push))
        } else if let pull = try device.engine.beginPull() {
            send(device, .pull(pull))
        }
    }

    // MARK: Network

    private func send(_ device: SimulatedDevice, _ request: SimulationRequest) {
        device.sent = time
        device.serial += 1
        for _ in 0..<copies(device) {
            let arriving = device.random.chance(0.03) ? request.damaged : request
            add(time + delay(device), .request(device: device.number, serial: device.serial, arriving))
        }
    }

    private func copies(_ device: SimulatedDevice) -> Int {
        if time < device.isolatedUntil || device.random.chance(0.1) { return 0 }
        return device.random.chance(0.1) ? 2 : 1
    }

    private func delay(_ device: SimulatedDevice) -> Double {
        device.random.chance(0.1)
            ? .random(in: 0..<30, using: &device.random) : .random(in: 0..<0.5, using: &device.random)
    }

    private func serve(_ device: SimulatedDevice, _ serial: Int, _ request: SimulationRequest) throws {
        server.crashes = device.random.chance(0.03)
        server.failsToSave = device.random.chance(0.02)
        if case .push(let push) = request, server.view(ofDevice: 0) == nil, device.random.chance(0.3) {
            let others = try concurrentPushes(with: device)
            if !others.isEmpty { return try serveTogether([(device, serial, push)] + others) }
        }
        guard let reply = try serveChecked(request, device) else {
            return log("\(request) of \(device.number): no answer")
        }
        answer(device, serial, request, reply)
    }

    private func answer(
        _ device: SimulatedDevice, _ serial: Int, _ request: SimulationRequest, _ reply: SimulationReply
    ) {
        log("\(request) of \(device.number): \(reply)")
        for _ in 0..<copies(device) {
            let arriving = device.random.chance(0.1) ? reply.damaged : reply
            add(time + delay(device), .reply(device: device.number, serial: serial, request, arriving))
        }
    }

    /// Lets other devices send their batches, and takes these pushes out of the queue: they arrive now.
    private func concurrentPushes(with device: SimulatedDevice) throws -> [ConcurrentPush] {
        for other in devices where other !== device && time >= other.isolatedUntil {
            other.random = SimulationRandom(seed: device.random.next())
            try guarding(other) { try self.next(other) }
        }
        var found: [ConcurrentPush] = []
        queue.removeAll { item in
            guard item.time <= time + 2, case .request(let number, let serial, .push(let push)) = item.action,
                number != device.number, !found.contains(where: { $0.device.number == number })
            else { return false }
            found.append((devices[number], serial, push))
            return true
        }
        return found
    }

    private func serveTogether(_ pushes: [ConcurrentPush]) throws {
        figures.operations += pushes.count
        for (_, _, push) in pushes { answered.insert(push.id) }
        let replies = try server.serveTogether(pushes.map { ($0.push, $0.device.number) })
        try check(server)
        figures.together += pushes.count
        for (device, serial, push) in pushes {
            if let reply = replies[device.number] { answer(device, serial, .push(push), reply) }
        }
    }

    /// - Returns: nil if the server's process ended.
    func serveChecked(_ request: SimulationRequest, _ device: SimulatedDevice) throws -> SimulationReply? {
        figures.operations += 1
        let before = server.images[server.revision]
        // A batch is applied at its first arrival, also if the process then ends before the answer.
        let isFirst = if case .push(let push) = request { answered.insert(push.id).inserted } else { false }
        guard let reply = try server.serve(request, device: device.number) else { return nil }
        try check(server)
        let view = server.view(ofDevice: device.number)
        switch (request, reply) {
        case (_, .page(let page, _)):
            try check(page, view)
            try checkData(page)
        case (.push(let push), .answer(let answer)) where isFirst:
            try check(push, answer, view, before: before)
        default: break
        }
        return reply
    }

    private func take(_ device: SimulatedDevice, _ request: SimulationRequest, _ reply: SimulationReply) throws {
        try guarding(device) {
            device.sent = nil
            device.serial += 1
            try self.handle(device, request, reply)
            try self.follow(device, request)
        }
    }

    /// After an answer to a push the device goes on; after an application it rests.
    private func follow(_ device: SimulatedDevice, _ request: SimulationRequest) throws {
        switch request {
        case .push, .put: try next(device)
        case .pull, .get: return
        }
    }

    func handle(
        _ device: SimulatedDevice, _ request: SimulationRequest, _ reply: SimulationReply
    ) throws {
        figures.operations += 1
        switch (request, reply) {
        case (_, .error(let error)): try device.take(error, request)
        case (.push(let push), .answer(let answer)):
            let refused = Set(answer.outcomes.filter { $0.result == .refused }.map(\.group))
            device.refused[push.id] = push.changes.filter { refused.contains($0.group) }.count
            let summary: AnswerSummary?
            do { summary = try device.engine.receive(answer) } catch {
                // The answer was not taken. The batch may be damaged before it comes again.
                let isWaiting = try error is SyncFailure || device.engine.waitingBatches().contains(push.id)
                if isWaiting { device.refused[push.id] = nil }
                throw error
            }
            guard let summary else { return }
            figures.pushes += 1
            figures.refused += summary.refused
            figures.superseded += summary.superseded
            figures.merged += summary.merged
            figures.whole += answer.outcomes.filter { $0.result == .whole }.count
            try checkRefusals(device)
        case (.pull(let pull), .page(let page, let view)):
            if let next = device.engine.receive(page, for: pull) { return send(device, .pull(next)) }
            device.view = view
            try proceed(device)
        case (.put(let part), .kept(let answer)): device.engine.receive(answer, for: part)
        case (.get(let part), .part(let bytes)):
            try device.engine.receive(bytes, for: part)
            try proceed(device)
        default: throw violation("Y1", "the reply does not fit the request")
        }
    }

    /// Asks for the next part of large values, or applies the pages.
    private func proceed(_ device: SimulatedDevice) throws {
        guard device.engine.hasAllPages else { return }
        if let part = try device.engine.nextDownload() { return send(device, .get(part)) }
        guard try device.engine.apply() != nil else { return }
        figures.applications += 1
        log("application on \(device.number)")
        try checkApplied(device)
    }
}
