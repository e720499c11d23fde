// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The source objects of one entity mapping, a batch at a time.

import CoreDataFoundation
import Foundation

/// The value of a source expression. The results of a fetch are read page by page.
enum SourceInstances {
    case pages(PagedResults<NSManagedObject>)
    case list([NSManagedObject])

    /// - Throws: 134110 for an expression whose value is not a list of source objects; the error of a fetch.
    init(_ mapping: NSEntityMapping, _ policy: NSEntityMigrationPolicy, _ session: MigrationSession) throws {
        guard let name = mapping.sourceEntityName, let entity = session.source.model.entitiesByName[name] else {
            self = .list([])
            return
        }
        guard let expression = mapping.sourceExpression else {
            let request = NSFetchRequest<NSManagedObject>()
            request.entity = entity
            request.includesSubentities = false
            self = .pages(try Self.pages(request, session))
            return
        }
        if case .function(PredicateFunctions.fetch, let arguments) = expression.syntax, arguments.count == 3,
            let request = try session.expressions.value(of: arguments[0], in: mapping, policy: policy)
                as? NSFetchRequest<any NSFetchRequestResult>, request.resultType == .managedObjectResultType
        {
            let typed = NSFetchRequest<NSManagedObject>()
            typed.settings = request.settings
            self = .pages(try Self.pages(typed, session))
            return
        }
        let value = try session.expressions.value(of: expression.syntax, in: mapping, policy: policy)
        let objects = ManagedObjectList(value)?.members
        guard let objects, objects.allSatisfy({ $0.managedObjectContext === session.source.context }) else {
            throw CoreDataError.unmappable(
                entity: name,
                reason: "The source expression of '\(mapping.name ?? "")' gives no list of objects of the source")
        }
        self = .list(objects)
    }

    private static func pages(_ request: NSFetchRequest<NSManagedObject>, _ session: MigrationSession) throws
        -> PagedResults<NSManagedObject>
    {
        request.fetchBatchSize = MigrationPass.batch
        request.returnsObjectsAsFaults = false
        return try session.source.context.fetchPaged(request, keptPages: 1)
    }

    var count: Int {
        switch self {
        case .pages(let pages): pages.count
        case .list(let objects): objects.count
        }
    }

    /// - Throws: the error of the store.
    func object(at position: Int) throws -> NSManagedObject {
        switch self {
        case .pages(let pages): try pages.object(at: position)
        case .list(let objects): objects[position]
        }
    }
}
