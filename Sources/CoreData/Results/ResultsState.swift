// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The state of one results controller: performs the request, follows the context's events, and keeps the results.

import CoreDataFoundation
import Foundation

/// The common state of a controller and of the face that its delegate receives. Used on the context's queue.
///
/// # States
///     empty ──performFetch──▶ fixed      without a delegate and readers
///           ──performFetch──▶ tracking   with one; an event changes the results
///     tracking ──reset of the context, or the last delegate or reader goes──▶ fixed
final class ResultsState {
    let context: NSManagedObjectContext
    let sectionKeyPath: String?
    let cacheName: String?
    /// The controller that the program made; nil once it is released.
    weak var owner: NSObject?
    /// A copy of the controller's request in its present state.
    private let currentRequest: () -> NSFetchRequest<NSManagedObject>
    /// The class of the controller's results.
    private let expected: (type: Any.Type, accepts: (NSManagedObject) -> Bool)
    weak var delegate: (any NSFetchedResultsControllerDelegate)?
    let delivery = ResultsDelivery()
    private var request: ResultsRequest?
    private var arrangement: ResultsArrangement?
    /// For a request with a limit or offset.
    private var window: ResultsWindow?
    private var isTracking = false
    private var temporaries = TemporaryEntries()
    /// The results before the changes that are being announced.
    private var former: ResultsView?
    private var pending: ResultsReport?
    weak var feed: SnapshotFeed<FetchedResultsSnapshot>?

    // Created on demand, until the results change.
    private var knownObjects: [NSManagedObject]?
    private var knownSections: [ResultsSectionInfo]?

    init(
        _ context: NSManagedObjectContext, sectionKeyPath: String?, cacheName: String?,
        expected: (type: Any.Type, accepts: (NSManagedObject) -> Bool),
        request: @escaping () -> NSFetchRequest<NSManagedObject>
    ) {
        self.context = context
        self.sectionKeyPath = sectionKeyPath
        self.cacheName = cacheName
        self.expected = expected
        currentRequest = request
    }

    /// Called when the controller, or a face of it, is released.
    func endWithoutOwner() {
        if owner == nil { feed?.finish() }
    }

    // MARK: Results

    var isPerformed: Bool { arrangement != nil }

    var entity: NSEntityDescription? { request?.entity }

    var view: ResultsView? { former ?? arrangement.map { ResultsView($0) } }

    var objects: [NSManagedObject]? {
        if let former { return former.objects }
        if knownObjects == nil { knownObjects = view?.objects }
        return knownObjects
    }

    var sections: [ResultsSectionInfo]? {
        if former == nil, let knownSections { return knownSections }
        let infos = view?.sections.map { ResultsSectionInfo($0, self) }
        if former == nil { knownSections = infos }
        return infos
    }

    func section(named name: String) -> ResultsSectionInfo? { sections?.first { $0.name == name } }

    func object(at path: IndexPath) -> NSManagedObject {
        guard let arrangement else {
            preconditionFailure("There is no object at \(path): call performFetch() first.")
        }
        let counts = former?.sections.map(\.count) ?? arrangement.sections.map(\.count)
        guard path.count == 2, counts.indices.contains(path[0]), (0..<counts[path[0]]).contains(path[1]) else {
            preconditionFailure(
                "There is no object at \(path): the sections have \(counts) objects.")
        }
        if let former { return former.sections[path[0]].object(at: path[1]) }
        return arrangement.sections[path[0]].entry(at: path[1]).object
    }

    func path(of object: NSManagedObject) -> IndexPath? {
        if let former { return former.path(of: object)?.indexPath }
        return arrangement?.path(of: object)?.indexPath
    }

    func indexTitle(ofSection name: String) -> String? {
        delegate.map { $0.controller(face, sectionIndexTitleForSectionName: name) } ?? Self.standardTitle(of: name)
    }

    static func standardTitle(of name: String) -> String? { name.first.map { $0.uppercased() } }

    /// The controller for delegates.
    var face: NSFetchedResultsController<any NSFetchRequestResult> {
        owner as? NSFetchedResultsController<any NSFetchRequestResult>
            ?? NSFetchedResultsController<any NSFetchRequestResult>(face: self)
    }

    var controllerRequest: NSFetchRequest<NSManagedObject> { currentRequest() }

    // MARK: Fetching

    func performFetch() throws {
        let copy = currentRequest()
        do {
            try context.state.storedFaults?.throwRepeatedFaulting()
            let request = try ResultsRequest(copy, sectionKeyPath, context)
            try perform(request, isTracking: delegate != nil || feed != nil)
        } catch {
            throw CoreDataError.request(error, entity: copy.entityName)
        }
        if let delegate { delivery.deliverFetched(self, to: delegate) }
        sendSnapshot(updated: [])
    }

    private func perform(_ request: ResultsRequest, isTracking: Bool) throws {
        let readsPlacements = request.readsPlacementsAtOnce && isTracking
        let window =
            request.hasWindow && isTracking ? try ResultsWindow(request, readsPlacements: readsPlacements) : nil
        let entries =
            try window.map { $0.entries.map { copy(of: $0) } }
            ?? request.entries(.window, readsPlacements: readsPlacements)
        try check(entries, request)
        arrangement = ResultsArrangement(
            request.order, isSectioned: sectionKeyPath != nil, entries
        ) { request.placement(of: $0) }
        self.window = window
        self.request = request
        self.isTracking = isTracking
        temporaries = TemporaryEntries()
        forgetKnown()
        guard isTracking else { return }
        temporaries.note(window.map { Array($0.matches.entries.values) } ?? entries)
        follow()
        if context.hasChanges { try correctUnsavedRelations(request) }
    }

    /// - Throws: 134060 if objects are not of the controller's result class.
    private func check(_ entries: [ResultEntry], _ request: ResultsRequest) throws {
        var last: ObjectIdentifier?
        for entry in entries {
            let type = Swift.type(of: entry.object)
            if ObjectIdentifier(type) == last { continue }
            guard expected.accepts(entry.object) else { throw request.mismatch(type, expected.type) }
            last = ObjectIdentifier(type)
        }
    }

    private func copy(of entry: ResultEntry) -> ResultEntry {
        ResultEntry(entry.object, sectionName: entry.sectionName, placement: entry.placement)
    }

    private func follow() {
        let listeners = context.state.notices.listeners ?? ChangeListeners()
        context.state.notices.listeners = listeners
        listeners.add(self)
    }

    /// The stores used the saved values of related objects.
    private func correctUnsavedRelations(_ request: ResultsRequest) throws {
        let unsaved = Array(context.state.tracker.unsaved).filter {
            $0.isUnsaved && request.related.concern($0.table.layout)
        }
        guard !unsaved.isEmpty else { return }
        let candidates = ResultsCandidates(related: request.related.dependents(on: unsaved, context.state.faults))
        _ = try edit(candidates, request)
        forgetKnown()
    }

    private func forgetKnown() { (knownObjects, knownSections) = (nil, nil) }

    // MARK: Events

    private var members: ResultsArrangement? { window?.matches ?? arrangement }

    /// Changes the results.
    ///
    /// - Returns: nil if the results have not changed.
    private func edit(_ candidates: ResultsCandidates, _ request: ResultsRequest) throws -> ResultsChange? {
        guard let members, let arrangement else { return nil }
        let edit = ResultsEditing(
            request: request, members: members, failures: context.state.failures, faults: context.state.faults
        ).edit(candidates)
        if edit.isEmpty { return nil }
        temporaries.note(edit.inserted)
        if let window { try window.apply(edit) }
        let change = arrangement.apply(window?.edit(of: arrangement, after: edit) ?? edit)
        return change.isEmpty ? nil : change
    }
}

extension ResultsState: ChangeListener {
    func process(_ summary: EventSummary) {
        guard let request, let arrangement else { return }
        guard isTracking, owner != nil, delegate != nil || feed != nil, !summary.isReset else {
            isTracking = false
            return
        }
        let permanent = temporaries.takePermanent(isSaved: summary.isSaved)
        do {
            var candidates = try ResultsCandidates(summary, request, members: members ?? arrangement)
            candidates.add(permanent: permanent.map(\.entry.object))
            if candidates.isEmpty { return }
            let before = ResultsView(arrangement)
            let change = try edit(candidates, request)
            let renamed = RenamedEntries(
                permanent, arrangement, change, before: before, isSectioned: sectionKeyPath != nil)
            guard change != nil || !renamed.formerIDs.isEmpty else { return }
            forgetKnown()
            pending = ResultsReport(change: change ?? ResultsChange(), before: before, renamed: renamed)
        } catch {
            context.state.failures.note(error)
        }
    }

    func report() {
        guard let report = pending else { return }
        pending = nil
        if let delegate { delivery.deliver(report, of: self, to: delegate) }
        sendSnapshot(updated: report.change.updates)
    }
}

extension ResultsState {
    /// Shows the old results while the delegate is notified that they will change.
    func showing(_ view: ResultsView, _ body: () -> Void) {
        former = view
        body()
        former = nil
    }

    // MARK: Snapshots

    /// The values of the present arrangement and all later ones.
    func snapshots() -> FetchedResultsSnapshots {
        if let feed { return FetchedResultsSnapshots(feed) }
        let made = SnapshotFeed<FetchedResultsSnapshot>()
        feed = made
        if let request, !isTracking {
            do {
                try perform(request, isTracking: true)
            } catch {
                context.state.failures.note(error)
            }
        }
        sendSnapshot(updated: [])
        return FetchedResultsSnapshots(made)
    }

    private func sendSnapshot(updated: [ResultsChange.ObjectChange]) {
        guard let feed, let view = arrangement.map({ ResultsView($0) }) else { return }
        feed.send(FetchedResultsSnapshot(view, updated: Set(updated.map(\.entry.id))))
    }
}
