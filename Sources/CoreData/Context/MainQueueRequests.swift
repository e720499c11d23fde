// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Lets other threads run requests on the main queue while the main queue waits for them.

import Dispatch
import Foundation

/// # The problem
/// A child context on a private queue asks its parent on the main queue, for a fetch, a save or a merge. At the same
/// time the main queue may wait for the child's queue (`child.performAndWait`). This would be a deadlock.
/// # The rule
/// (1) A request for the main queue runs when the main queue is free, or while the main queue waits for the queue of a
///     descendant of one of its contexts. Whichever happens first takes the request.
/// (2) The main queue runs no request between the moment when it gets the other queue and the end of its block.
final class MainQueueRequests: @unchecked Sendable {  // `waiting` and `Grant.isGiven` are guarded by `condition`
    static let shared = MainQueueRequests()

    private let condition = NSCondition()
    private var waiting: [Request] = []

    private final class Request: @unchecked Sendable {  // one thread takes it, the other one waits until `done`
        private var body: (() -> Void)?
        let done = DispatchSemaphore(value: 0)

        init(_ body: @escaping () -> Void) { self.body = body }

        func run() {
            callBody()
            done.signal()
        }

        /// A separate function, so that the block is released when it returns.
        @inline(never) private func callBody() {
            body?()
            body = nil
        }
    }

    private final class Grant: @unchecked Sendable {
        var isGiven = false
        let isOver = DispatchSemaphore(value: 0)
    }

    /// Runs a block on the main queue and waits for it. Not for callers on the main queue.
    func run(_ body: () -> Void) {
        withoutActuallyEscaping(body) { body in
            let request = Request(body)
            condition.withLock {
                waiting.append(request)
                condition.broadcast()
            }
            DispatchQueue.main.async { [self] in
                if take(request) { request.run() }
            }
            request.done.wait()
        }
    }

    /// Runs a block here while another queue is blocked. Until that queue is free, requests for the main queue run.
    func run(_ body: () -> Void, onceFree queue: DispatchQueue) {
        let grant = Grant()
        queue.async { [self] in
            condition.withLock {
                grant.isGiven = true
                condition.broadcast()
            }
            grant.isOver.wait()
        }
        while let request = nextRequest(until: grant) { request.run() }
        defer { grant.isOver.signal() }
        body()
    }

    /// nil after the other queue is free.
    private func nextRequest(until grant: Grant) -> Request? {
        condition.withLock {
            while !grant.isGiven, waiting.isEmpty { condition.wait() }
            return grant.isGiven ? nil : waiting.removeFirst()
        }
    }

    private func take(_ request: Request) -> Bool {
        condition.withLock {
            guard let position = waiting.firstIndex(where: { $0 === request }) else { return false }
            waiting.remove(at: position)
            return true
        }
    }
}

extension NSManagedObjectContext {
    /// Whether the context may have to wait for the main queue.
    var hasAncestorOnMainQueue: Bool {
        var next = state.parent
        while let context = next {
            if context.concurrencyType == .mainQueueConcurrencyType { return true }
            next = context.state.parent
        }
        return false
    }
}
