// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Calls the delegate in the form that its type declares: snapshots, differences, or single calls.

import Foundation

/// # States
///     unknown ──a snapshot arrived──▶ snapshots
///             ──the default for snapshots ran──▶ no snapshots ──a difference arrived──▶ differences
///                                                             ──its default ran──▶ calls
/// If a type does not declare a method, the default of the protocol's extension runs and records that. So each form is
/// tried with a value that the delegate has to receive anyway.
final class ResultsDelivery {
    private enum Form {
        case unknown
        case snapshots
        case noSnapshots
        case differences
        case calls
    }

    private var form = Form.unknown
    private var delegateType: ObjectIdentifier?
    /// Set by the default implementations.
    var ranDefault = false

    private func meet(_ delegate: any NSFetchedResultsControllerDelegate) {
        let type = ObjectIdentifier(Swift.type(of: delegate))
        if type != delegateType { (form, delegateType) = (.unknown, type) }
    }

    /// Whether the delegate's own implementation ran.
    private func isDeclared(_ call: () -> Void) -> Bool {
        ranDefault = false
        call()
        return !ranDefault
    }

    // MARK: Delivering

    /// After a fetch: only snapshots are delivered.
    func deliverFetched(_ state: ResultsState, to delegate: any NSFetchedResultsControllerDelegate) {
        meet(delegate)
        guard let view = state.view else { return }
        _ = deliverSnapshot(view, updated: [], state, delegate)
    }

    func deliver(
        _ report: ResultsReport, of state: ResultsState,
        to delegate: any NSFetchedResultsControllerDelegate
    ) {
        meet(delegate)
        guard let view = state.view else { return }
        if deliverSnapshot(view, updated: report.change.updates.map(\.entry.id), state, delegate) { return }
        if state.sectionKeyPath == nil, deliverDifference(report, state, delegate) { return }
        if !report.change.isEmpty { call(report, state, delegate) }
    }

    /// - Returns: whether the delegate takes snapshots.
    private func deliverSnapshot(
        _ view: ResultsView, updated: [NSManagedObjectID], _ state: ResultsState,
        _ delegate: any NSFetchedResultsControllerDelegate
    ) -> Bool {
        guard form == .unknown || form == .snapshots else { return false }
        let snapshot = NSDiffableDataSourceSnapshotReference(view, reloaded: updated)
        let isDeclared = isDeclared { delegate.controller(state.face, didChangeContentWith: snapshot) }
        form = isDeclared ? .snapshots : .noSnapshots
        return isDeclared
    }

    /// - Returns: whether the delegate takes differences.
    private func deliverDifference(
        _ report: ResultsReport, _ state: ResultsState,
        _ delegate: any NSFetchedResultsControllerDelegate
    ) -> Bool {
        guard form == .noSnapshots || form == .differences else { return false }
        guard let difference = report.difference else { return form == .differences }
        let isDeclared = isDeclared { delegate.controller(state.face, didChangeContentWith: difference) }
        form = isDeclared ? .differences : .calls
        return isDeclared
    }

    private func call(
        _ report: ResultsReport, _ state: ResultsState,
        _ delegate: any NSFetchedResultsControllerDelegate
    ) {
        let (face, change) = (state.face, report.change)
        state.showing(report.before) { delegate.controllerWillChangeContent(face) }
        for section in change.deletedSections {
            let info = ResultsSectionInfo(named: section.name, state)
            delegate.controller(face, didChange: info, atSectionIndex: section.index, for: .delete)
        }
        for section in change.insertedSections {
            let info = state.section(named: section.name) ?? ResultsSectionInfo(named: section.name, state)
            delegate.controller(face, didChange: info, atSectionIndex: section.index, for: .insert)
        }
        func send(_ changes: [ResultsChange.ObjectChange], _ type: NSFetchedResultsChangeType) {
            for change in changes {
                delegate.controller(
                    face, didChange: change.entry.object, at: change.old?.indexPath, for: type,
                    newIndexPath: change.new?.indexPath)
            }
        }
        send(change.deletions, .delete)
        send(change.insertions, .insert)
        send(change.moves, .move)
        send(change.updates, .update)
        delegate.controllerDidChangeContent(face)
    }
}

extension ResultsReport {
    /// The change as a difference of ids, for results without sections; nil if the ids are equal.
    fileprivate var difference: CollectionDifference<NSManagedObjectID>? {
        typealias Change = CollectionDifference<NSManagedObjectID>.Change
        var changes: [Change] = []
        func add(_ list: [ResultsChange.ObjectChange], joined: Bool = false) {
            for item in list {
                let id = item.entry.id
                let former = renamed.formerIDs[id] ?? id
                let isPair = joined && former == id
                if let old = item.old?.item {
                    changes.append(
                        .remove(offset: old, element: former, associatedWith: isPair ? item.new?.item : nil))
                }
                if let new = item.new?.item {
                    changes.append(.insert(offset: new, element: id, associatedWith: isPair ? item.old?.item : nil))
                }
            }
        }
        add(change.deletions)
        add(change.insertions)
        add(change.moves, joined: true)
        add(change.updates, joined: true)
        add(renamed.changesInPlace)
        return changes.isEmpty ? nil : CollectionDifference(changes)
    }
}
