// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The public class of results controllers: every method documents its promise, and calls the state.

public import Foundation

/// Keeps the results of a fetch request up to date: objects in order, in sections, with reports of every change.
///
/// Use it for a list on the screen: fetching again after each change would cost as much as the list is long.
///
/// ```swift
/// let request = Memo.fetchRequest()
/// request.sortDescriptors = [
///     NSSortDescriptor(key: "isPinned", ascending: false), NSSortDescriptor(key: "title", ascending: true),
/// ]
/// let controller = NSFetchedResultsController(
///     fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: "isPinned", cacheName: nil)
/// controller.delegate = list
/// try controller.performFetch()
/// for section in controller.sections ?? [] { print(section.name, section.numberOfObjects) }
/// ```
///
/// Changes are reported at the end of each event of the context (`processPendingChanges()`, a save, a fetch, the end of
/// a `perform` block, a merge). The results follow the request as it was performed: predicate, order, sections, limit
/// and offset are matched with the context's objects as they are, unsaved changes of related objects included.
///
/// Without a delegate, and without a reader of `snapshots`, nothing is followed: the results stay those that
/// `performFetch()` found. To see the saves of other contexts, let the context merge them
/// (`automaticallyMergesChangesFromParent`).
///
/// - Important: use it on the context's queue.
/// - Complexity: an event costs in proportion to the objects that it changed, times the logarithm of the results.
/// - SeeAlso: `NSFetchedResultsControllerDelegate`, `FetchedResultsSnapshots`, `NSFetchRequest.fetchBatchSize`.
open class NSFetchedResultsController<ResultType>: NSObject, AnyFetchedResultsController {
    final let state: ResultsState

    /// The request. Changing it has an effect at the next `performFetch()`.
    public final let fetchRequest: NSFetchRequest<ResultType>
    /// The context that the controller fetches from and follows.
    open var managedObjectContext: NSManagedObjectContext { state.context }
    /// The key path of the sections' names; nil for one section.
    open var sectionNameKeyPath: String? { state.sectionKeyPath }
    /// The name of the cache. It has no effect: finding the sections is faster than reading a file.
    open var cacheName: String? { state.cacheName }

    /// Creates a controller; nothing is fetched before `performFetch()`.
    ///
    /// Traps for a request with nil as its sort descriptors.
    ///
    /// - Parameters:
    ///   - fetchRequest: the objects and their order. With an empty list of sort descriptors, saved objects are in the
    ///     order of their first save, and unsaved ones follow.
    ///   - context: the context to follow.
    ///   - sectionNameKeyPath: an attribute, of the entity or of objects at to-one relationships; may be transient.
    ///     `performFetch()` throws for a path that does not exist.
    ///   - name: has no effect.
    public init(
        fetchRequest: NSFetchRequest<ResultType>, managedObjectContext context: NSManagedObjectContext,
        sectionNameKeyPath: String?, cacheName name: String?
    ) {
        precondition(
            fetchRequest.sortDescriptors != nil,
            "A results controller needs an order: give the fetch request sort descriptors, or an empty list for the order in which "
                + "the objects were first saved.")
        self.fetchRequest = fetchRequest
        state = ResultsState(
            context, sectionKeyPath: sectionNameKeyPath, cacheName: name,
            expected: (ResultType.self, { $0 is ResultType })
        ) {
            NSFetchRequest<NSManagedObject>(of: fetchRequest)
        }
        super.init()
        state.owner = self
    }

    /// The controller as delegates receive it.
    init(face state: ResultsState) {
        self.state = state
        fetchRequest = NSFetchRequest<ResultType>(of: state.controllerRequest)
        super.init()
    }

    deinit { state.endWithoutOwner() }

    /// Receives the changes; held weakly. Set it before `performFetch()`.
    open var delegate: (any NSFetchedResultsControllerDelegate)? {
        get { state.delegate }
        set { state.delegate = newValue }
    }

    /// Executes the request and fills the results. May be called again, also after the request was changed.
    ///
    /// A delegate that takes snapshots receives one; nothing else is reported.
    ///
    /// - Throws: as `NSManagedObjectContext.fetch(_:)`; 134060 for a request whose results are not objects, with nil as
    ///   its sort descriptors, or with a section key path that the entity does not have. The previous results are kept
    ///   then.
    /// - Complexity: one fetch. With a batch size it reads only keys, and with a section key path the sections' names.
    open func performFetch() throws {
        state.context.checkQueue()
        if let type = ResultType.self as? NSManagedObject.Type { ObjectClasses.register(type) }
        try state.performFetch()
        if fetchRequest.entity == nil { fetchRequest.entity = state.entity }
    }

    /// The results: the objects of all sections one after the other; nil before `performFetch()`. Later changes do not
    /// affect the array.
    open var fetchedObjects: [ResultType]? {
        state.context.checkQueue()
        return state.objects.map { ResultObjects.typed($0) ?? $0.map(typed) }
    }

    /// The sections, in the order of their first objects; nil before `performFetch()`.
    open var sections: [any NSFetchedResultsSectionInfo]? {
        state.context.checkQueue()
        return state.sections
    }

    /// The object at a path of section and item.
    ///
    /// Traps for a path out of bounds.
    open func object(at indexPath: IndexPath) -> ResultType {
        state.context.checkQueue()
        return typed(state.object(at: indexPath))
    }

    /// The path of an object; nil if it is not in the results.
    open func indexPath(forObject object: ResultType) -> IndexPath? {
        state.context.checkQueue()
        return (object as? NSManagedObject).flatMap { state.path(of: $0) }
    }

    private func typed(_ object: NSManagedObject) -> ResultType {
        guard let result = object as? ResultType else {
            preconditionFailure(
                "\(object.objectID) is a \(type(of: object)), not a \(ResultType.self): name the class in the model, "
                    + "and use it before objects of its entity are made.")
        }
        return result
    }

    // MARK: Index of sections

    /// The title of a section for an index: the first character of its name, capitalized, or the delegate's answer.
    open func sectionIndexTitle(forSectionName sectionName: String) -> String? {
        state.indexTitle(ofSection: sectionName)
    }

    /// The titles of all sections, each once, in order.
    open var sectionIndexTitles: [String] {
        var seen: Set<String> = []
        return (sections ?? []).compactMap { sectionIndexTitle(forSectionName: $0.name) }
            .filter { seen.insert($0).inserted }
    }

    /// The first section with a title.
    ///
    /// Traps for a title that no section has.
    ///
    /// - Parameters:
    ///   - title: one of `sectionIndexTitles`.
    ///   - sectionIndex: the position of the title in `sectionIndexTitles`; not used.
    open func section(forSectionIndexTitle title: String, at sectionIndex: Int) -> Int {
        let titles = (sections ?? []).map { sectionIndexTitle(forSectionName: $0.name) }
        guard let section = titles.firstIndex(of: title) else {
            preconditionFailure("No section has the title '\(title)'; the titles are \(sectionIndexTitles).")
        }
        return section
    }

    /// For source compatibility; has no effect, because controllers write no caches. A name that does not exist is no
    /// error.
    open class func deleteCache(withName name: String?) {}

    // MARK: Sequence

    /// The present arrangement and every later one, as values that may be used on any thread. Not part of Apple's API.
    ///
    /// Get it on the context's queue. While it is read, changes are followed as with a delegate.
    open var snapshots: FetchedResultsSnapshots {
        state.context.checkQueue()
        return state.snapshots()
    }

    // MARK: Equality

    /// Whether both show the same state: a controller equals the one that its delegate receives.
    open override func isEqual(_ object: Any?) -> Bool { (object as? any AnyFetchedResultsController)?.state === state }

    open override var hash: Int { ObjectIdentifier(state).hashValue }
}

/// A controller of any type of results.
protocol AnyFetchedResultsController: AnyObject {
    var state: ResultsState { get }
}
