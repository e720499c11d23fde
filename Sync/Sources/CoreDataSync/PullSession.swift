// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Collects the pages of one pull.
import CoreDataSyncProtocol
import Foundation

/// The latest state of each record of the pages so far.
struct PullSession {
    private(set) var states: [UUID: SyncRecordState] = [:]
    private(set) var last: SyncPage?
    private var request: SyncPull?

    init(request: SyncPull) { self.request = request }

    var isComplete: Bool { request == nil }

    /// - Returns: the next request; nil if the page was the last one, or does not answer the present request.
    mutating func add(_ page: SyncPage, for answered: SyncPull) -> SyncPull? {
        guard var next = request, next == answered else { return nil }
        for state in page.records { states[state.name] = state }
        last = page
        if page.isLast {
            request = nil
            return nil
        }
        next.after = page.next
        request = next
        return next
    }
}
