// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The pushes that wait for the service, and the rounds in which they are applied (`Documentation/SharedSaves.md`).
import CoreData
import CoreDataSyncProtocol
import Foundation
import Synchronization

/// Pushes in the order of their arrival. May be used from any task.
final class WaitingPushes: Sendable {
    private struct Waiting {
        let push: SyncPush
        let user: SyncUser
        let continuation: CheckedContinuation<SyncPushAnswer, any Error>
    }

    private let all = Mutex<[Waiting]>([])

    /// Waits for the round that applies the push.
    func answer(to push: SyncPush, user: SyncUser, _ service: ServiceCore) async throws -> SyncPushAnswer {
        try await withCheckedThrowingContinuation { continuation in
            all.withLock { $0.append(Waiting(push: push, user: user, continuation: continuation)) }
            service.writer.perform { self.round(service) }
        }
    }

    /// Applies all pushes that wait. A later round that finds none has nothing to do.
    private func round(_ service: ServiceCore) {
        let taken = all.withLock { waiting in
            defer { waiting = [] }
            return waiting
        }
        let round = PushRound(service: service, requests: taken.map { ($0.push, $0.user) })
        for (index, answer) in round.run() { taken[index].continuation.resume(with: answer) }
    }
}

/// Applies some pushes, those that fit together in one save. Runs on the queue of the writing context.
struct PushRound {
    let service: ServiceCore
    let requests: [(push: SyncPush, user: SyncUser)]

    /// - Returns: the results in the order of their application, with their places in `requests`.
    func run() -> [(index: Int, answer: Result<SyncPushAnswer, any Error>)] {
        var results: [(index: Int, answer: Result<SyncPushAnswer, any Error>)] = []
        var open: [(index: Int, push: SyncPush, user: SyncUser)] = []
        for (index, request) in requests.enumerated() {
            do { open.append((index, try service.checked(request.push), request.user)) } catch {
                results.append((index, .failure(error)))
            }
        }
        while open.count > 1 {
            do {
                let answers = try SharedSave(service: service, context: service.writer).run(open)
                if answers.isEmpty { break }
                results += open.compactMap { request in answers[request.index].map { (request.index, .success($0)) } }
                open.removeAll { answers[$0.index] != nil }
            } catch {
                return results + open.map { ($0.index, .failure(error)) }
            }
        }
        for request in open { results.append((request.index, Result { try alone(request.push, request.user) })) }
        return results
    }

    private func alone(_ push: SyncPush, _ user: SyncUser) throws -> SyncPushAnswer {
        defer { service.writer.reset() }
        return try PushExecution(service: service, context: service.writer, request: push, user: user).run()
    }
}
