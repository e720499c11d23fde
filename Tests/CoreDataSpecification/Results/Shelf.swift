// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A bookshop with a results controller over its books, and the controller's reports.

import CoreData
import CoreDataTestSupport
import Foundation
import Testing

/// Books by title unless another order is given.
final class Shelf {
    let shop: Bookshop
    let controller: NSFetchedResultsController<Book>
    let log = ResultsLog(by: "title")
    var context: NSManagedObjectContext { controller.managedObjectContext }

    init(
        _ shop: Bookshop, _ predicate: String? = nil, by keys: [String] = ["title"], sections: String? = nil,
        in context: NSManagedObjectContext? = nil, _ configure: (NSFetchRequest<Book>) -> Void = { _ in }
    ) throws {
        self.shop = shop
        let request = Book.request()
        request.predicate = predicate.map { NSPredicate(format: $0) }
        request.sortDescriptors = keys.map {
            NSSortDescriptor(key: $0.replacingOccurrences(of: "-", with: ""), ascending: !$0.hasPrefix("-"))
        }
        configure(request)
        controller = NSFetchedResultsController(
            fetchRequest: request, managedObjectContext: context ?? shop.context, sectionNameKeyPath: sections,
            cacheName: nil)
        controller.delegate = log
        try controller.performFetch()
    }

    /// The reports of the changes since the last call.
    func reports() -> [String] {
        context.processPendingChanges()
        return log.take()
    }

    var titles: [String] { (controller.fetchedObjects ?? []).map { $0.title ?? "-" } }

    /// Names and titles of the sections.
    var sections: [String] {
        (controller.sections ?? []).map { section in
            let titles = (section.objects ?? []).compactMap { ($0 as? Book)?.title }
            return section.name + ":" + titles.joined(separator: ",")
        }
    }
}

extension StoreKind {
    /// Kinds of stores that test results controllers: one with SQL, one that works in memory.
    static let forResults: [StoreKind] = [.sqlite, .inMemory]
}
