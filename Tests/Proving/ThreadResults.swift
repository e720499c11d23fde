// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A results controller over a context that all saves are merged into, and the changes that it reports.

import CoreData
import Foundation

/// Used only on the queue of its context.
final class ThreadResults: NSObject, NSFetchedResultsControllerDelegate, @unchecked Sendable {
    private let controller: NSFetchedResultsController<NSManagedObject>
    private var isFetched = false
    /// The objects that the reported changes give.
    private var reported: Set<NSManagedObjectID> = []
    private var failures: [String] = []

    init(_ context: NSManagedObjectContext) {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Thing")
        request.sortDescriptors = [NSSortDescriptor(key: "code", ascending: true)]
        controller = NSFetchedResultsController(
            fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: nil, cacheName: nil)
        super.init()
        controller.delegate = self
    }

    func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>, didChange anObject: Any,
        at indexPath: IndexPath?, for type: NSFetchedResultsChangeType, newIndexPath: IndexPath?
    ) {
        guard let object = anObject as? NSManagedObject else { return }
        switch type {
        case .insert: if !reported.insert(object.objectID).inserted { failures.append("inserted twice") }
        case .delete: if reported.remove(object.objectID) == nil { failures.append("deleted without being there") }
        default: if !reported.contains(object.objectID) { failures.append("changed without being there") }
        }
    }

    /// - Returns: the first difference between the reported changes and the results.
    func finding() throws -> String? {
        if !isFetched {
            try controller.performFetch()
            isFetched = true
            reported = Set((controller.fetchedObjects ?? []).map(\.objectID))
        }
        let objects = controller.fetchedObjects ?? []
        if Set(objects.map(\.objectID)) != reported || objects.count != reported.count {
            return "\(objects.count) results, and \(reported.count) by the reported changes"
        }
        let codes = objects.compactMap { $0.value(forKey: "code") as? String }
        if zip(codes, codes.dropFirst()).contains(where: { $0 > $1 }) { return "the results are not in order" }
        return failures.first
    }
}
