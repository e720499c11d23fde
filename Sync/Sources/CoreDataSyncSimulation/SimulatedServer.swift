// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The server of a simulation: a real service over a store in memory.
import CoreData
import CoreDataSyncModel
import CoreDataSyncProtocol
import CoreDataSyncServer
import Foundation

enum SimulationRequest: CustomStringConvertible {
    case push(SyncPush)
    case pull(SyncPull)
    case put(SyncPart)
    case get(SyncPartRequest)

    var description: String {
        switch self {
        case .push(let push): "push \(push.number) \(push.id.text.prefix(8)) (\(push.changes.count))"
        case .pull(let pull): "pull after \(pull.applied)"
        case .put(let part): "put \(part.hash.prefix(6)) \(part.offset)+\(part.bytes.count)"
        case .get(let request): "get \(request.hash.prefix(6)) \(request.offset)"
        }
    }
}

enum SimulationReply: CustomStringConvertible {
    case answer(SyncPushAnswer)
    /// With the shapes of the user at that time; nil in runs without shapes.
    case page(SyncPage, SimulationView?)
    case kept(SyncPartAnswer)
    case part(Data)
    case error(SyncError)

    var description: String {
        switch self {
        case .answer(let answer): answer.outcomes.map(\.result.rawValue).joined(separator: ",")
        case .page(let page, _): "\(page.records.count) records, revision \(page.revision)"
        case .kept(let answer): "\(answer.received) bytes"
        case .part(let bytes): "\(bytes.count) bytes"
        case .error(let error): "\(error.code)"
        }
    }
}

/// The end of a process, or of a request, because a disk failed.
struct SimulatedCrash: Error {}

/// A commit of a device that failed, or that succeeded without a report. The process goes on.
struct SimulatedDiskError: Error {}

final class SimulatedServer {
    static let pageSize = 5
    let container: NSPersistentContainer
    let service: SyncService
    let clock = SimulationClock()
    let model: SyncModel
    let authority = SimulationAuthority()
    /// nil in runs in which the server's own code saves.
    let oracle: Oracle?
    /// Whether the process ends after the next save.
    var crashes = false
    /// Whether the disk fails at the next save.
    var failsToSave = false
    private(set) var revision: Int64 = 0
    /// The state of each revision at which a request ended.
    private(set) var images: [Int64: ReplicaImage] = [:]

    init(_ model: NSManagedObjectModel, _ ids: IDSource, hasOracle: Bool) throws {
        let merged = try NSManagedObjectModel.syncServer(of: model)
        container = try SimulationModel.container("Server", merged)
        self.model = SyncModel(merged)
        let clock = clock
        var limits = SyncLimits()
        limits.pageSize = Self.pageSize
        limits.large = SimulationModel.sizes
        limits.uploadAge = 20
        service = try SyncService(
            container: container, authority: authority, limits: limits,
            environment: SyncEnvironment(now: { clock.now }, makeID: { ids.next() }))
        oracle = hasOracle ? Oracle() : nil
        plant([])
    }

    /// The service does not hold the server: each would keep the other, and all objects of its seed.
    func plant(_ faults: Set<ServerFault>) {
        service.plant(
            faults, beforeSave: { [weak self] in try self?.beforeSave() },
            onSave: { [weak self] in try self?.onSave() })
    }

    private func beforeSave() throws {
        guard failsToSave else { return }
        failsToSave = false
        throw SimulatedCrash()
    }

    private func onSave() throws {
        guard crashes else { return }
        crashes = false
        throw SimulatedCrash()
    }

    /// - Returns: nil if the process ended.
    func serve(_ request: SimulationRequest, device: Int) throws -> SimulationReply? {
        let view = view(ofDevice: device)
        let user = view?.syncUser ?? SyncUser(id: "user")
        defer { (crashes, failsToSave) = (false, false) }
        do {
            switch request {
            case .push(let push):
                return try answer(push, user).map { .answer($0) }
            case .pull(let pull): return .page(try service.pullAndWait(pull, user: user), view)
            case .put(let part): return .kept(try service.putAndWait(part, user: user))
            case .get(let request): return .part(try service.getAndWait(request, user: user))
            }
        } catch let error as SyncError {
            return .error(error)
        } catch is SimulatedCrash {
            return nil
        }
    }

    /// Forgets deletions that all replicas have, and removes large values that no request used for 20 seconds.
    ///
    /// - Parameter inactivity: the seconds without a request after which a replica counts as away too long.
    func compact(inactivity: TimeInterval) throws { _ = try service.compactAndWait(inactivity: inactivity) }

    /// The present shapes of a device's user; nil in runs without shapes.
    func view(ofDevice number: Int) -> SimulationView? {
        authority.views[SimulationView.user(ofDevice: number)]
    }

    /// If the process ends in the middle, the device's copy of the request arrives at once, and its answer is lost.
    private func answer(_ push: SyncPush, _ user: SyncUser) throws -> SyncPushAnswer? {
        var isLost = false
        while true {
            do {
                let answer = try service.pushAndWait(push, user: user)
                try teach(push, answer)
                return isLost ? nil : answer
            } catch is SimulatedCrash { isLost = true }
        }
    }

    /// Serves pushes that arrive at once. Those of a process that ended in the middle arrive again, and their answers
    /// are lost: the server has the answers of those that were committed, and applies the others last. The oracle
    /// learns of all of them in the order of their commits.
    func serveTogether(_ pushes: [(push: SyncPush, device: Int)]) throws -> [Int: SimulationReply] {
        defer { (crashes, failsToSave) = (false, false) }
        let user = SyncUser(id: "user")
        var replies: [Int: SimulationReply] = [:]
        var cutOff: [SyncPush] = []
        for (index, result) in service.pushTogetherAndWait(pushes.map { ($0.push, user) }) {
            let (push, device) = pushes[index]
            switch result {
            case .success(let answer):
                try teach(push, answer)
                replies[device] = .answer(answer)
            case .failure(is SimulatedCrash):
                if try isCommitted(push) { try serveAgain(push, user) } else { cutOff.append(push) }
            case .failure(let error as SyncError): replies[device] = .error(error)
            case .failure(let error): throw error
            }
        }
        for push in cutOff { try serveAgain(push, user) }
        return replies
    }

    /// Serves a copy of a push whose answer is lost, which the server may refuse.
    private func serveAgain(_ push: SyncPush, _ user: SyncUser) throws {
        do { _ = try answer(push, user) } catch is SyncError {}
    }

    /// Gives the oracle a batch and its answer, with the server's revision.
    private func teach(_ push: SyncPush, _ answer: SyncPushAnswer) throws {
        guard let oracle else { return }
        oracle.take(
            push.withPresentNames(), answer, revision: try number("revision", of: "CoreDataSyncState", nil))
    }

    private func isCommitted(_ push: SyncPush) throws -> Bool {
        try number("number", of: "CoreDataSyncReplica", push.replica) >= push.number
    }

    /// A number that the server keeps; 0 if it keeps none.
    private func number(_ key: String, of entity: String, _ replica: UUID?) throws -> Int64 {
        let context = container.newBackgroundContext()
        return try context.performAndWait {
            let request = NSFetchRequest<NSManagedObject>(entityName: entity)
            request.predicate = replica.map { NSPredicate(format: "replica == %@", $0.text) }
            return (try context.fetch(request).first?.value(forKey: key) as? NSNumber)?.int64Value ?? 0
        }
    }

    func edit(_ random: SimulationRandom) throws {
        let context = container.newBackgroundContext()
        try context.performAndWait {
            var edits = SimulationEdits(
                context: context, random: random, owners: authority.views.isEmpty ? [] : SimulationView.users)
            _ = try edits.transaction(isServer: true)
        }
    }

    /// The present state, and its revision, if it is new.
    func newImage() throws -> ReplicaImage? {
        let context = container.newBackgroundContext()
        return try context.performAndWait {
            let states = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "CoreDataSyncState"))
            let present = (states.first?.value(forKey: "revision") as? NSNumber)?.int64Value ?? 0
            guard present != revision else { return nil }
            revision = present
            let request = NSFetchRequest<NSManagedObject>(entityName: "CoreDataSyncRecord")
            request.returnsObjectsAsFaults = false
            var names: [String: UUID] = [:]
            for row in try context.fetch(request) {
                guard let uri = row.value(forKey: "object") as? String else { continue }
                names[uri] = UUID(text: row.value(forKey: "name") as? String ?? "")
            }
            let image = try ReplicaImage(context, model, names: names, hidden: SimulationModel.hidden)
            images[present] = image
            return image
        }
    }
}
