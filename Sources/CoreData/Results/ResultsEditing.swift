// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Decides for each object that an event may affect whether it is added, removed or moved.

import CoreDataFoundation
import Foundation

/// Evaluates the predicate and determines the position for each candidate. Changes nothing.
struct ResultsEditing {
    let request: ResultsRequest
    let members: ResultsArrangement
    let failures: ReadFailures
    let faults: FaultFulfilment

    func edit(_ candidates: ResultsCandidates) -> ResultsEdit {
        let (changed, related, permanent) = (candidates.changed, candidates.related, candidates.permanent)
        let present = (changed + related + permanent).filter(isPresent)
        faults.realizeAll(present.filter(\.isFault))
        request.prefetch(present.filter { !$0.isFault })
        var edit = ResultsEdit()
        for object in changed { decide(object, .changed, &edit) }
        for object in related { decide(object, .related, &edit) }
        for object in permanent { decide(object, .permanent, &edit) }
        return edit
    }

    private enum Cause {
        case changed
        case related
        case permanent
    }

    private func isPresent(_ object: NSManagedObject) -> Bool {
        object.table.owner === request.context && !object.isMarkedDeleted && !object.flags.contains(.inaccessible)
    }

    private func decide(_ object: NSManagedObject, _ cause: Cause, _ edit: inout ResultsEdit) {
        let known = members.entry(of: object)
        guard let matches = matches(object) else { return }
        guard matches else {
            if let known { edit.removed.append(known) }
            return
        }
        let placement = request.placement(of: object)
        let watched = request.watchedValues(of: object)
        guard let known else {
            let entry = ResultEntry(object, placement: placement)
            entry.watched = watched
            return edit.inserted.append(entry)
        }
        let isReported =
            switch cause {
            case .changed: true
            case .related: differs(known, placement, watched)
            case .permanent: known.placement != nil && differs(known, placement, watched)
            }
        known.watched = watched
        if isReported || known.placement.map({ $0.tie != placement.tie }) ?? true {
            edit.changed.append(.init(entry: known, placement: placement, isUpdate: isReported))
        }
    }

    /// Whether the values that determine position or membership differ. The former values of an entry that was never
    /// compared are unknown; they count as different.
    private func differs(_ entry: ResultEntry, _ placement: ResultPlacement, _ watched: [ComparableValue]) -> Bool {
        guard let old = entry.placement else { return true }
        return old.sectionName != placement.sectionName || !request.order.isSame(old.values, placement.values)
            || !ResultOrder.isSame(entry.watched, watched)
    }

    /// nil if the object cannot be read now: its membership does not change.
    private func matches(_ object: NSManagedObject) -> Bool? {
        guard isPresent(object), request.concerns(object) else { return false }
        if object.isFault, !object.flags.contains(.inserted) {
            // Its record is missing, or the store cannot be read.
            return failures.current == nil ? false : nil
        }
        do {
            return try request.matches(object)
        } catch {
            DiagnosisLog.warn("The predicate of a results controller cannot be asked of \(object.objectID): \(error)")
            return nil
        }
    }
}
