// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Makes the stages that a container announces from the events of a client.
package import CoreData
package import CoreDataSync

/// # States
///     none ──pushing──▶ export ──pulling──▶ import ──finished──▶ none
/// # Invariants
/// (1) At most one stage is open, and each stage that begins ends once.
/// (2) An error of a round ends the open stage, or an export that begins and ends with it.
package struct CloudStages {
    private var open: PersistentSyncStage?
    private var refused = 0

    package init() {}

    package mutating func steps(of event: SyncEvent) -> [PersistentSyncStep] {
        switch event {
        case .pushing: return open == .export ? [] : end() + begin(.export)
        case .pulling: return end() + begin(.import)
        case .refused(let changes):
            refused += changes
            return []
        case .finished: return end()
        case .failed(let error):
            if open == nil { return [.began(.export), .ended(.export, error)] }
            return end(error)
        case .pushed, .pulled, .progress, .setup, .conflict, .newIdentity: return []
        }
    }

    private mutating func begin(_ stage: PersistentSyncStage) -> [PersistentSyncStep] {
        open = stage
        return [.began(stage)]
    }

    private mutating func end(_ error: (any Error)? = nil) -> [PersistentSyncStep] {
        guard let stage = open else { return [] }
        defer { (open, refused) = (nil, 0) }
        return [.ended(stage, error ?? (refused > 0 ? RefusedChangesError(count: refused) : nil))]
    }
}
