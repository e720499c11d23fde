// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Finds the objects that belong to shapes.
import CoreData
import CoreDataSyncModel
import CoreDataSyncProtocol
import Foundation

/// Evaluates bound shapes on the queue of a context (`Documentation/Shapes.md`, S1).
struct Membership {
    let service: ServiceCore
    let context: NSManagedObjectContext
    let user: SyncUser
    let shapes: BoundShapes

    /// The matching objects, those that the shapes follow to, and the destinations of mandatory relationships.
    func objects() throws -> Set<NSManagedObject> {
        var found: Set<NSManagedObject> = []
        for shape in shapes.shapes {
            var start = try matching(shape, among: nil)
            start.removeAll { !isReadable($0) }
            found.formUnion(start)
            for path in shape.follows {
                var level = start
                for key in path {
                    level = level.flatMap { $0.syncDestinations(key) }.filter { isReadable($0) }
                    found.formUnion(level)
                }
            }
        }
        var open = Array(found)
        while let object = open.popLast() {
            for key in mandatory(object.entity) {
                for destination in object.syncDestinations(key)
                where isReadable(destination) && found.insert(destination).inserted {
                    open.append(destination)
                }
            }
        }
        return found
    }

    /// Those of some objects that belong to the shapes. Costs one fetch for each shape if all of them match.
    func reachable(among objects: Set<NSManagedObject>) throws -> Set<NSManagedObject> {
        var found: Set<NSManagedObject> = []
        for shape in shapes.shapes { found.formUnion(try matching(shape, among: objects).filter { isReadable($0) }) }
        return found.isSuperset(of: objects) ? found : try self.objects().intersection(objects)
    }

    /// - Throws: `SyncError.unavailable` for a predicate that the store cannot evaluate.
    func check() throws {
        for shape in shapes.shapes {
            let request = NSFetchRequest<NSManagedObject>(entityName: shape.entity)
            request.predicate = shape.predicate
            request.fetchLimit = 1
            do { _ = try context.fetch(request) } catch {
                throw SyncError(.unavailable, "The shape '\(shape.name)' cannot be evaluated: \(error)")
            }
        }
    }

    private func isReadable(_ object: NSManagedObject) -> Bool {
        guard let entity = service.model.entity(of: object), !object.isDeleted else { return false }
        return service.authority.mayRead(entity: entity.name, user: user)
    }

    private func matching(
        _ shape: BoundShapes.Shape, among objects: Set<NSManagedObject>?
    ) throws -> [NSManagedObject] {
        let request = NSFetchRequest<NSManagedObject>(entityName: shape.entity)
        guard let objects else {
            request.predicate = shape.predicate
            request.relationshipKeyPathsForPrefetching = shape.follows.map { $0.joined(separator: ".") }
            request.returnsObjectsAsFaults = false
            return try fetch(request)
        }
        guard let entity = context.persistentStoreCoordinator?.managedObjectModel.entitiesByName[shape.entity] else {
            return []
        }
        let candidates = objects.filter { $0.entity.isKindOf(entity: entity) }
        let isAmong = NSPredicate(format: "SELF IN %@", Array(candidates))
        request.predicate = NSCompoundPredicate(
            andPredicateWithSubpredicates: [isAmong] + [shape.predicate].compactMap { $0 })
        return candidates.isEmpty ? [] : try fetch(request)
    }

    private func fetch(_ request: NSFetchRequest<NSManagedObject>) throws -> [NSManagedObject] {
        do { return try context.fetch(request) } catch {
            throw SyncError(.unavailable, "A shape of '\(request.entityName ?? "")' cannot be evaluated: \(error)")
        }
    }

    private func mandatory(_ entity: NSEntityDescription) -> [String] {
        entity.relationshipsByName.filter { !$0.value.isOptional && !$0.value.isTransient }.keys.sorted()
    }
}

extension NSManagedObject {
    /// The destinations of a relationship of either kind.
    func syncDestinations(_ key: String) -> [NSManagedObject] {
        (value(forKey: key) as? NSManagedObject).map { [$0] } ?? syncMembers(key)
    }
}
