// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Results that follow their context. SwiftData-O1, O2.

import CoreData
public import Foundation
public import Observation

/// Holds the results of a fetch, and fetches anew when models of its context change, or when others have saved.
///
/// It takes the place of `@Query`, which belongs to SwiftUI.
///
/// ```swift
/// let observer = try ResultsObserver<Album, Never>(
///     sortBy: [SortDescriptor(\.name)], modelContext: context)
/// context.insert(Album(name: "South"))
/// context.insert(Album(name: "North"))
/// try context.save()
/// print(observer.results.map(\.name))  // ["North", "South"]
/// ```
///
/// `results` and `sections` are observed by `withObservationTracking(_:onChange:)`; `snapshots` gives values to other
/// tasks. `SectionTitle` is `Never` where there are no sections. A fetch that fails later is logged, and the results
/// stay.
///
/// - Important: it belongs to the actor of its context. The initializers throw as `ModelContext.fetch(_:)`.
/// - Complexity: each change of the context costs a fetch. With unsaved changes and a condition along relationships all
///   models of the class are compared in memory.
/// - SeeAlso: `FetchDescriptor`, `ModelContext.fetch(_:)`, `HistoryObserver`.
public final class ResultsObserver<Element: PersistentModel, SectionTitle: Hashable>: Observable,
    CustomDebugStringConvertible
{
    /// The context.
    public let modelContext: ModelContext
    private let registrar = ObservationRegistrar()
    private let title: ((Element) -> SectionTitle?)?
    private let sectionKeyPath: PartialKeyPath<Element>?
    private var descriptor: FetchDescriptor<Element>
    private var found: [Element] = []
    private var token: (any NSObjectProtocol)?
    private var merges: MergeFollower?
    private weak var feed: SnapshotFeed<ResultsSnapshot>?

    init(
        _ descriptor: FetchDescriptor<Element>, _ context: ModelContext, _ keyPath: PartialKeyPath<Element>? = nil,
        order: SortDescriptor<Element>? = nil, title: ((Element) -> SectionTitle?)? = nil
    ) throws {
        modelContext = context
        self.descriptor = descriptor
        sectionKeyPath = keyPath
        sectionOrder = order
        self.title = title
        found = try context.fetchLive(ordered)
        merges = MergeFollower(context.below) { [weak self] in self?.refresh() }
        let follower = Follower { [weak self] in self?.refresh(after: $0) }
        token = NotificationCenter.default.addObserver(
            forName: .NSManagedObjectContextObjectsDidChange, object: context.below, queue: nil
        ) { follower.follow($0) }
    }

    private let sectionOrder: SortDescriptor<Element>?

    /// The order of the sections comes first.
    private var ordered: FetchDescriptor<Element> {
        var all = descriptor
        if let sectionOrder { all.sortBy.insert(sectionOrder, at: 0) }
        return all
    }

    deinit {
        if let token { NotificationCenter.default.removeObserver(token) }
        feed?.finish()
    }

    /// Fetches anew; a failure is logged, and the results stay.
    ///
    /// - Parameter change: the notification of the context that is the reason.
    func refresh(after change: Notification? = nil) {
        do {
            let new = try modelContext.fetchLive(ordered)
            registrar.withMutation(of: self, keyPath: \.results) { found = new }
            feed?.send(snapshot(after: change))
        } catch {
            ModelLog.warn("The results of \(Element.self) could not be fetched anew: \(error)")
        }
    }

    // MARK: Snapshots

    /// The present results and later ones as values, for any task. A slow reader skips those in between. The sequence
    /// ends with the observer.
    ///
    ///     for await snapshot in observer.snapshots { show(snapshot.identifiers) }
    public var snapshots: some AsyncSequence<ResultsSnapshot, Never> & Sendable {
        let feed = feed ?? SnapshotFeed<ResultsSnapshot>()
        self.feed = feed
        feed.send(snapshot(after: nil))
        return ResultsSnapshots(feed)
    }

    private func snapshot(after change: Notification?) -> ResultsSnapshot {
        let identifiers = found.map(\.persistentModelID)
        let changed = [NSUpdatedObjectsKey, NSRefreshedObjectsKey].flatMap {
            change?.userInfo?[$0] as? Set<NSManagedObject> ?? []
        }
        let updated = Set(changed.map { PersistentIdentifier($0.objectID) }).intersection(identifiers)
        let sections = sections?.map { section in
            ResultsSnapshot.Section(
                title: "\(section.title)", identifiers: section.map(\.persistentModelID))
        }
        return ResultsSnapshot(
            sections: sections ?? [ResultsSnapshot.Section(title: "", identifiers: identifiers)],
            identifiers: identifiers, updatedIdentifiers: updated)
    }

    // MARK: Results

    /// The models.
    public var results: FetchResultsCollection<Element> {
        registrar.access(self, keyPath: \.results)
        return FetchResultsCollection(found)
    }

    /// The models by section, in the order of first appearance; nil without sections.
    public var sections: SectionedResults<Element, SectionTitle>? {
        registrar.access(self, keyPath: \.results)
        return title.map { SectionedResults(found, $0) }
    }

    /// The request.
    public var fetchDescriptor: FetchDescriptor<Element> { descriptor }

    /// The condition; setting it fetches anew before the setter returns.
    public var filterBy: Predicate<Element>? {
        get { descriptor.predicate }
        set {
            descriptor.predicate = newValue
            refresh()
        }
    }

    /// The order in each section; setting it fetches anew before the setter returns.
    public var sortBy: [SortDescriptor<Element>] {
        get { descriptor.sortBy }
        set {
            descriptor.sortBy = newValue
            refresh()
        }
    }

    /// The property that makes the sections; nil without sections.
    public var sectionBy: PartialKeyPath<Element>? { sectionKeyPath }

    /// The model at an index path of section and item, or of an item without sections; nil if there is no such model.
    public func element(at indexPath: IndexPath) -> Element? {
        guard let place = indexPath.last else { return nil }
        guard let sections, let section = indexPath.first, indexPath.count == 2 else {
            return found.indices.contains(place) ? found[place] : nil
        }
        guard sections.indices.contains(section), sections[section].indices.contains(place) else { return nil }
        return sections[section][place]
    }

    /// The index path of a model; nil for one that is not among the results.
    public func indexPath(for element: Element) -> IndexPath? {
        guard let sections else { return found.firstIndex { $0 === element }.map { IndexPath(indexes: [0, $0]) } }
        for (section, members) in sections.enumerated() {
            if let place = members.firstIndex(where: { $0 === element }) {
                return IndexPath(indexes: [section, place])
            }
        }
        return nil
    }

    /// The class and the number of results.
    public var debugDescription: String { "ResultsObserver<\(Element.self)>: \(found.count) results" }
}

/// Notifications come where the context works, so the next steps may stay there.
private struct Follower: @unchecked Sendable {
    let follow: (Notification) -> Void
}

/// Results by section.
public struct SectionedResults<Element: PersistentModel, SectionTitle: Hashable>: RandomAccessCollection, Equatable {
    private let all: [ResultsSection<Element, SectionTitle>]

    init(_ found: [Element], _ title: (Element) -> SectionTitle?) {
        var places: [SectionTitle: Int] = [:]
        var sections: [ResultsSection<Element, SectionTitle>] = []
        for element in found {
            guard let title = title(element) else { continue }
            if let place = places[title] {
                sections[place].members.append(element)
            } else {
                places[title] = sections.count
                sections.append(ResultsSection(title: title, members: [element]))
            }
        }
        all = sections
    }

    /// 0.
    public var startIndex: Int { 0 }
    /// The number of sections.
    public var endIndex: Int { all.count }
    /// The titles, in order.
    public var sectionTitles: [SectionTitle] { all.map(\.title) }
    /// The section of a title; nil for none.
    public subscript(sectionTitle: SectionTitle) -> ResultsSection<Element, SectionTitle>? {
        all.first { $0.title == sectionTitle }
    }
    /// A section.
    @_disfavoredOverload
    public subscript(position: Int) -> ResultsSection<Element, SectionTitle> { all[position] }
}

/// The results of one section.
public struct ResultsSection<Element: PersistentModel, SectionTitle: Hashable>: RandomAccessCollection, Identifiable,
    Equatable
{
    /// The value that its results have in common.
    public let title: SectionTitle
    fileprivate(set) var members: [Element]

    /// The title.
    public var id: SectionTitle { title }
    /// 0.
    public var startIndex: Int { 0 }
    /// The number of results.
    public var endIndex: Int { members.count }
    /// A result.
    public subscript(position: Int) -> Element { members[position] }
}
