// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Evaluates FETCH in expressions.

import CoreDataFoundation
import Foundation

extension NSManagedObjectContext: FetchAnswering {
    package final func answer(toFetch request: Any, countsOnly: Bool) throws -> Any {
        guard let request = request as? NSPersistentStoreRequest, let results = request as? any UntypedFetch else {
            throw PredicateEvaluationError.wrongArgument(function: "FETCH", type: "\(type(of: request))")
        }
        return countsOnly ? try results.count(in: self) : try results.results(in: self)
    }
}

/// A fetch request of a result type that is unknown at compile time.
private protocol UntypedFetch {
    func results(in context: NSManagedObjectContext) throws -> [Any]
    func count(in context: NSManagedObjectContext) throws -> Int
}

extension NSFetchRequest: UntypedFetch {
    fileprivate func results(in context: NSManagedObjectContext) throws -> [Any] { try context.fetch(self) }
    fileprivate func count(in context: NSManagedObjectContext) throws -> Int { try context.count(for: self) }
}
