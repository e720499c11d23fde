// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Collects the pages of one pull.
import CoreDataSyncProtocol
import Foundation

/// The latest state of each record of the pages so far.
struct PullSession {
    private(set) var states: [UUID: SyncRecordState] = [:]
    private(set) var last: SyncPage?
    private var request: SyncPull?
    /// Whether each page is applied when it is there: the first pull of a device without records.
    let isOfParts: Bool

    init(request: SyncPull, isOfParts: Bool = false) {
        self.request = request
        self.isOfParts = isOfParts
    }

    /// Whether there are more parts than this page. A first pull of one page is applied as every other one.
    var hasParts: Bool { last?.isLast == false || isContinued }
    private var isContinued = false

    var isComplete: Bool { request == nil }

    /// - Returns: the next request; nil if the page was the last one, or does not answer the present request.
    mutating func add(_ page: SyncPage, for answered: SyncPull) -> SyncPull? {
        guard var next = request, next == answered else { return nil }
        for state in page.records { states[state.name] = state }
        last = page
        isContinued = isOfParts && next.after != nil
        if page.isLast || isOfParts {
            request = nil
            return nil
        }
        next.after = page.next
        request = next
        return next
    }
}
