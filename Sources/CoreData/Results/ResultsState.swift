// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The state of one results controller: performs the request, follows the context's events, and keeps the results.

import CoreDataFoundation
import Foundation

/// The common state of a controller and of the face that its delegate gets. Used on the context's queue.
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
    /// A copy of the controller's request as it is now.
    private let currentRequest: () -> NSFetchRequest<NSManagedObject>
    /// The class of results that the controller promises.
    private let expected: (type: Any.Type, accepts: (NSManagedObject) -> Bool)
    weak var delegate: (any NSFetchedResultsControllerDelegate)?
    let delivery = ResultsDelivery()
    private var request: ResultsRequest?
    private var arrangement: ResultsArrangement?
    /// Of a request with limit or offset.
    private var window: ResultsWindow?
    private var isTracking = false
    /// Entries whose objects had a temporary id when they were placed.
    private var temporaries: [ResultEntry] = []
    /// The results before the changes that are about to be announced.
    private var former: ResultsView?
    private var pending: PendingReport?
    weak var feed: SnapshotFeed?

    // Made when asked for, until the results change.
    private var knownObjects: [NSManagedObject]?
    private var knownSections: [ResultsSectionInfo]?

    struct PendingReport {
        let change: ResultsChange
        let before: ResultsView
        /// Objects whose ids became permanent, with the ids before.
        var renamed: [NSManagedObjectID: NSManagedObjectID] = [:]
        /// Those of them that the change does not name, as changes in place.
        var renamedInPlace: [ResultsChange.ObjectChange] = []
    }

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

    /// The controller, or a face of it, goes.
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

    var requestForFace: NSFetchRequest<NSManagedObject> { currentRequest() }

    // MARK: Fetching

    func performFetch() throws {
        let copy = currentRequest()
        do {
            try context.state.storedFaults?.throwFaultRun()
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
        temporaries = []
        forgetKnown()
        guard isTracking else { return }
        noteTemporaries(window.map { Array($0.matches.entries.values) } ?? entries)
        follow()
        if context.hasChanges { try correctUnsavedRelations(request) }
    }

    /// - Throws: 134060 where objects are of another class than the controller promises.
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

    /// The stores were asked about related objects as they are saved.
    private func correctUnsavedRelations(_ request: ResultsRequest) throws {
        let unsaved = Array(context.state.tracker.unsaved).filter {
            $0.hasChanges && request.related.concern($0.table.layout)
        }
        guard !unsaved.isEmpty else { return }
        let candidates = Candidates(related: request.related.dependents(on: unsaved, context.state.faults))
        _ = try edit(candidates, request)
        forgetKnown()
    }

    private func noteTemporaries(_ entries: [ResultEntry]) {
        for entry in entries where entry.object.key < 0 {
            entry.shownID = entry.object.objectID
            temporaries.append(entry)
        }
    }

    private func forgetKnown() { (knownObjects, knownSections) = (nil, nil) }

    // MARK: Events

    /// Objects that an event may concern.
    private struct Candidates {
        /// Changed themselves: an update is reported in any case.
        var changed: [NSManagedObject] = []
        /// Reported only if their place or membership differs.
        var related: [NSManagedObject] = []
        /// Got another key, which decides among equal ones: reported only if they move.
        var settled: [NSManagedObject] = []

        var isEmpty: Bool { changed.isEmpty && related.isEmpty && settled.isEmpty }
    }

    private func candidates(_ news: EventNews, _ request: ResultsRequest) throws -> Candidates {
        let others = news.mergedIDs.filter { isConcerned($0, request) }.map { context.state.faults.object(with: $0) }
        let objects = (news.objects + others).distinct
        var candidates = Candidates()
        candidates.changed = objects.filter { request.concerns($0) || isKnown($0) }
        if !request.related.isEmpty {
            let concerned = objects.filter { request.related.concern($0.table.layout) }
            candidates.related = request.related.dependents(on: concerned, context.state.faults)
        }
        if news.isEverything { candidates.related += try request.objects(.all) + (everyObject ?? []) }
        var seen = Set(candidates.changed.map(ObjectIdentifier.init))
        candidates.related = candidates.related.filter { seen.insert(ObjectIdentifier($0)).inserted }
        return candidates
    }

    private func isConcerned(_ id: NSManagedObjectID, _ request: ResultsRequest) -> Bool {
        let layout = context.state.registry.model.layouts[context.state.registry.key(of: id).entityIndex]
        return request.concerns(layout) || request.related.concern(layout)
    }

    private var members: ResultsArrangement? { window?.matches ?? arrangement }

    private var everyObject: [NSManagedObject]? { members.map { $0.entries.values.map(\.object) } }

    private func isKnown(_ object: NSManagedObject) -> Bool { members?.entry(of: object) != nil }

    /// Changes the results.
    ///
    /// - Returns: nil where nothing of them changed.
    private func edit(_ candidates: Candidates, _ request: ResultsRequest) throws -> ResultsChange? {
        guard let members, let arrangement else { return nil }
        let edit = ResultsEditing(request: request, members: members, faults: context.state.faults).edit(
            changed: candidates.changed, related: candidates.related, settled: candidates.settled)
        if edit.isEmpty { return nil }
        noteTemporaries(edit.inserted)
        if let window { try window.apply(edit) }
        let change = arrangement.apply(window?.edit(of: arrangement, after: edit) ?? edit)
        return change.isEmpty ? nil : change
    }
}

extension ResultsState: ChangeListener {
    func absorb(_ news: EventNews) {
        guard let request, let arrangement else { return }
        guard isTracking, owner != nil, delegate != nil || feed != nil, !news.isReset else {
            isTracking = false
            return
        }
        let settled = takeSettled(isSaved: news.isSaved)
        do {
            var candidates = try candidates(news, request)
            let changed = Set((candidates.changed + candidates.related).map(ObjectIdentifier.init))
            candidates.settled = settled.map(\.entry.object).filter { !changed.contains(ObjectIdentifier($0)) }
            if candidates.isEmpty { return }
            let before = ResultsView(arrangement)
            let change = try edit(candidates, request)
            let renamed = renamed(settled, arrangement, change, before)
            guard change != nil || !renamed.ids.isEmpty else { return }
            forgetKnown()
            pending = PendingReport(
                change: change ?? ResultsChange(), before: before, renamed: renamed.ids,
                renamedInPlace: renamed.inPlace)
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

    // MARK: Permanent ids

    private typealias Settled = (entry: ResultEntry, former: NSManagedObjectID)

    /// Entries whose ids became permanent since the last event; each is given once.
    ///
    /// Ids mostly become permanent together, at a save; so a long list is not searched at every event.
    private func takeSettled(isSaved: Bool) -> [Settled] {
        if temporaries.isEmpty { return [] }
        let isSearched = isSaved || temporaries.count < 256
        guard isSearched || [temporaries.first, temporaries.last].contains(where: { $0?.isSettled ?? false }) else {
            return []
        }
        let settled = temporaries.filter { $0.isSettled && $0.chunk != nil }
        temporaries.removeAll { $0.isSettled || $0.chunk == nil }
        return settled.compactMap { entry in entry.shownID.map { (entry, $0) } }
    }

    /// The ids before by the ids now, of objects that are shown; and those that the change does not name.
    private func renamed(
        _ settled: [Settled], _ arrangement: ResultsArrangement, _ change: ResultsChange?, _ before: ResultsView
    ) -> (ids: [NSManagedObjectID: NSManagedObjectID], inPlace: [ResultsChange.ObjectChange]) {
        var ids: [NSManagedObjectID: NSManagedObjectID] = [:]
        var shown: [ResultEntry] = []
        for (entry, former) in settled {
            guard let entry = arrangement.entry(of: entry.object) else { continue }
            ids[entry.id] = former
            shown.append(entry)
        }
        if shown.isEmpty || sectionKeyPath != nil { return (ids, []) }
        let named = Set(((change?.moves ?? []) + (change?.updates ?? [])).map { ObjectIdentifier($0.entry.object) })
        let inPlace = shown.filter { !named.contains(ObjectIdentifier($0.object)) }
        let paths = before.paths(of: Set(inPlace.map { ObjectIdentifier($0.object) }))
        return (
            ids,
            inPlace.compactMap { entry in
                paths[ObjectIdentifier(entry.object)].map {
                    ResultsChange.ObjectChange(entry: entry, old: $0, new: arrangement.path(of: entry.object))
                }
            }
        )
    }
}

extension ResultEntry {
    fileprivate var isSettled: Bool { object.key >= 0 }
}

extension ResultsState {
    /// While a delegate is told that the results will change, they are the old ones.
    func showing(_ view: ResultsView, _ body: () -> Void) {
        former = view
        body()
        former = nil
    }

    // MARK: Snapshots

    /// The values of all later arrangements, from the present one on.
    func snapshots() -> FetchedResultsSnapshots {
        if let feed { return FetchedResultsSnapshots(feed) }
        let made = SnapshotFeed()
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
