// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A fetch that moves from the context's queue to the stores and back. Fetching-14 to 17.

import Dispatch
import Foundation

/// # States
///     asked ──global queue──▶ answered ──context's queue──▶ finished: the completion block is called
///       └──only the context can say──────────▲
/// # Invariants
/// (1) Only one queue at a time uses it: each state is entered in a block that the previous state submits as its last
///     action.
/// (2) Outside the context's queue only `storeFetches` is used: values and stores, no object and no context.
/// (3) Observers see one operation, from the request to `finish()` (Telemetry-O8).
/// (4) Cancelling stops a statement of either state (Limits-C5).
final class AsynchronousFetch<ResultType>: @unchecked Sendable {  // (1)
    let result: NSAsynchronousFetchResult<ResultType>
    private let context: NSManagedObjectContext
    private let scope: ReadScope
    private let execution: FetchExecution
    private let storeFetches: RoutedFetch.StoreFetches?
    /// nil before the stores have answered, and if the context has to ask them itself.
    private var answer: Result<RoutedFetch.Answer, any Error>?
    /// The state of the context when the stores received the fetch.
    private let epoch: Int
    private let generation: NSQueryGenerationToken?
    /// nil without observers.
    private let operation: RunningOperation?

    /// Looks up the names and prepares the fetches from the stores. Runs on the context's queue.
    init(
        _ request: NSAsynchronousFetchRequest<ResultType>, _ context: NSManagedObjectContext, _ state: ContextState
    ) throws {
        self.context = context
        scope = state.scope
        let fetchRequest = request.fetchRequest
        if let type = ResultType.self as? NSManagedObject.Type { ObjectClasses.register(type) }
        do {
            execution = try FetchExecution(state, fetchRequest)
            storeFetches = try execution.storeFetches()
        } catch {
            throw CoreDataError.request(error, entity: fetchRequest.entityName)
        }
        epoch = scope.epoch
        generation = scope.token
        result = NSAsynchronousFetchResult(request, context, Self.progress(request))
        operation = state.begin(.fetch, fetchRequest.entityName)
    }

    /// A progress attached to the current one; nil without a current one.
    private static func progress(_ request: NSAsynchronousFetchRequest<ResultType>) -> Progress? {
        guard Progress.current() != nil else { return nil }
        let estimate = request.estimatedResultCount
        return Progress(totalUnitCount: estimate > 0 ? Int64(estimate) : -1)
    }

    func start() {
        if storeFetches == nil { arrive() } else { DispatchQueue.global().async { self.ask() } }
    }

    private func ask() {
        if let storeFetches, !result.isCancelled {
            answer = Result { try runPart { try storeFetches.answer(in: nil) } }
        }
        arrive()
    }

    private func arrive() { (context as any StateHolder).enqueue { self.finish() } }

    private func finish() {
        do {
            let found = try runPart { try read() }
            result.finalResult = found
            operation?.report.rows = found.count
            report(found.count)
        } catch {
            let failure = CoreDataError.request(error, entity: result.fetchRequest.fetchRequest.entityName)
            operation?.report.error = failure
            result.fail(failure)
        }
        operation?.ends()
        result.fetchRequest.completionBlock?(result)
    }

    private func read() throws -> [ResultType] {
        if result.isCancelled { throw CoreDataError.cancelled() }
        return try execution.resumed(with: isCurrent ? answer?.get() : nil).run()
    }

    /// Runs a part of the operation, which the result can stop. The completion block is not such a part.
    private func runPart<T>(_ body: () throws -> T) throws -> T {
        try BlockOrigin.run(BlockOrigin.make(nil, stop: result.stop)) { () throws(any Error) -> T in
            guard let operation else { return try body() }
            return try operation.runPart(body)
        }
    }

    /// Whether the answer is still as recent as the context's state.
    private var isCurrent: Bool { scope.epoch == epoch && scope.token === generation }

    private func report(_ count: Int) {
        guard let progress = result.progress else { return }
        progress.totalUnitCount = Int64(max(count, 1))
        progress.completedUnitCount = progress.totalUnitCount
    }
}
