// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The protocol through which a results controller reports changes.

public import Foundation

/// The change of an object or a section of the results.
public enum NSFetchedResultsChangeType: UInt, Sendable {
    /// It was added to the results.
    case insert = 1
    /// It was removed from the results.
    case delete = 2
    /// Its values changed, and it moved among the others.
    case move = 3
    /// Its values changed, and it kept its position.
    case update = 4
}

/// Receives the changes of a results controller's results, on the queue of the controller's context.
///
/// ```swift
/// final class List: NSFetchedResultsControllerDelegate {
///     private(set) var insertions: [Int] = []
///
///     func controller(
///         _ controller: NSFetchedResultsController<any NSFetchRequestResult>, didChange anObject: Any,
///         at indexPath: IndexPath?, for type: NSFetchedResultsChangeType, newIndexPath: IndexPath?
///     ) {
///         if type == .insert, let row = newIndexPath?.last { insertions.append(row) }
///     }
/// }
/// ```
///
/// Every method is optional. One of three forms is used: with a method for snapshots nothing else is called; with one
/// for differences, on a controller without a section key path, nothing else; otherwise `controllerWillChangeContent`,
/// sections, objects and `controllerDidChangeContent` in this order. A method counts as implemented if the conforming
/// type declares it.
///
/// The controller that a method gets equals the controller that was made, and is perhaps another object: Swift without
/// Objective-C cannot treat a controller of `Memo` as one of `NSFetchRequestResult`.
///
/// - Important: the controller holds its delegate weakly. Changes that a method makes are reported after the present
///   report.
/// - SeeAlso: `NSFetchedResultsController.delegate`, `NSFetchedResultsController.snapshots`.
public protocol NSFetchedResultsControllerDelegate: AnyObject {
    /// An object was inserted, deleted, moved or updated.
    ///
    /// - Parameters:
    ///   - controller: equals the program's controller.
    ///   - anObject: the object.
    ///   - type: the kind of the change.
    ///   - indexPath: the path before all changes of this event; nil for an insertion.
    ///   - newIndexPath: the path after all of them; nil for a deletion.
    func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>, didChange anObject: Any,
        at indexPath: IndexPath?, for type: NSFetchedResultsChangeType, newIndexPath: IndexPath?)

    /// A section was inserted or deleted. A section that moves past another one is deleted and inserted.
    ///
    /// - Parameters:
    ///   - controller: equals the program's controller.
    ///   - sectionInfo: the section as it is now; a deleted one has no objects.
    ///   - sectionIndex: the index before all changes for a deletion, after them for an insertion.
    ///   - type: insertion or deletion.
    func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
        didChange sectionInfo: any NSFetchedResultsSectionInfo, atSectionIndex sectionIndex: Int,
        for type: NSFetchedResultsChangeType)

    /// The results are about to change; the controller still shows the old ones.
    func controllerWillChangeContent(_ controller: NSFetchedResultsController<any NSFetchRequestResult>)

    /// All changes of the event have been reported.
    func controllerDidChangeContent(_ controller: NSFetchedResultsController<any NSFetchRequestResult>)

    /// The title of a section for `sectionIndexTitles`.
    func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
        sectionIndexTitleForSectionName sectionName: String
    ) -> String?

    /// The results were fetched, or changed: section names and ids of objects in order.
    ///
    /// ```swift
    /// final class NoteList: NSFetchedResultsControllerDelegate {
    ///     private(set) var ids: [NSManagedObjectID] = []
    ///
    ///     func controller(
    ///         _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
    ///         didChangeContentWith snapshot: NSDiffableDataSourceSnapshotReference
    ///     ) {
    ///         ids = snapshot.itemIdentifiers.compactMap { $0 as? NSManagedObjectID }
    ///     }
    /// }
    /// ```
    ///
    /// A delegate with this method gets one snapshot from `performFetch()`, and one for each event that changes the
    /// results; no other method is called.
    ///
    /// - Parameters:
    ///   - controller: equals the controller that was made.
    ///   - snapshot: section identifiers are `String`, item identifiers `NSManagedObjectID`. Objects that were updated
    ///     and stayed in their places are in `reloadedItemIdentifiers`.
    /// - Important: called on the queue of the controller's context; the snapshot may go to any thread.
    /// - Complexity: a snapshot has an id for each result.
    /// - SeeAlso: `NSFetchedResultsController.snapshots`, the same as an asynchronous sequence.
    func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
        didChangeContentWith snapshot: NSDiffableDataSourceSnapshotReference)

    /// The results of a controller without sections changed; an updated object is removed and inserted.
    func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
        didChangeContentWith diff: CollectionDifference<NSManagedObjectID>)
}

extension NSFetchedResultsControllerDelegate {
    /// Does nothing.
    public func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>, didChange anObject: Any,
        at indexPath: IndexPath?, for type: NSFetchedResultsChangeType, newIndexPath: IndexPath?
    ) {}

    /// Does nothing.
    public func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
        didChange sectionInfo: any NSFetchedResultsSectionInfo, atSectionIndex sectionIndex: Int,
        for type: NSFetchedResultsChangeType
    ) {}

    /// Does nothing.
    public func controllerWillChangeContent(_ controller: NSFetchedResultsController<any NSFetchRequestResult>) {}

    /// Does nothing.
    public func controllerDidChangeContent(_ controller: NSFetchedResultsController<any NSFetchRequestResult>) {}

    /// The first character of the name, capitalized.
    public func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
        sectionIndexTitleForSectionName sectionName: String
    ) -> String? { ResultsState.standardTitle(of: sectionName) }

    /// Records that the delegate does not take snapshots.
    public func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
        didChangeContentWith snapshot: NSDiffableDataSourceSnapshotReference
    ) { controller.state.delivery.ranDefault = true }

    /// Records that the delegate does not take differences.
    public func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
        didChangeContentWith diff: CollectionDifference<NSManagedObjectID>
    ) { controller.state.delivery.ranDefault = true }
}
