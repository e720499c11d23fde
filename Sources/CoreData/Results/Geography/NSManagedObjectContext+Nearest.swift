// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Finds the objects nearest to a point, by fetches of growing boxes. Geography-5.

import CoreDataFoundation
import Foundation

extension NSManagedObjectContext {
    /// Finds the objects nearest to a point, the nearest one first.
    ///
    /// ```swift
    /// request.fetchLimit = 10
    /// let here = GeographicCoordinate(latitude: 53.55, longitude: 9.99)
    /// for place in try context.nearest(to: here, in: request, within: 1_000_000) {
    ///     print(place.object.name, place.distance)
    /// }
    /// ```
    ///
    /// Objects without coordinates, and those whose coordinates are beyond 90 or 180 degrees, are not found. Unsaved
    /// changes count.
    ///
    /// - Parameters:
    ///   - point: in degrees. A point beyond 90 or 180 degrees, or with NaN, finds nothing.
    ///   - request: entity, further conditions, limit and offset. Its sort descriptors sort objects at one distance.
    ///   - latitude: the key path of a number, in degrees.
    ///   - longitude: the key path of a number, in degrees.
    ///   - metres: the greatest distance; nil for any.
    /// - Returns: at most `fetchLimit` results.
    /// - Throws: as `fetch(_:)`; 134060 for a request for other results than objects.
    /// - Important: call on the context's queue.
    /// - Complexity: fetches all objects within the distance. With a limit, and if the model has an R-tree index of
    ///   both attributes, it fetches a box of a kilometre, and a greater one only while that has too few.
    /// - SeeAlso: `NSPredicate.within(_:latitude:longitude:)`
    public func nearest<Object: NSManagedObject>(
        to point: GeographicCoordinate, in request: NSFetchRequest<Object>, latitude: String = "latitude",
        longitude: String = "longitude", within metres: Double? = nil
    ) throws -> [NearbyResult<Object>] {
        checkQueue()
        ObjectClasses.register(Object.self)
        guard request.resultType == .managedObjectResultType else {
            throw CoreDataError.general(
                "A request for the nearest objects of '\(request.entityName ?? "")' returns objects: use a request with "
                    + "that result type.")
        }
        let search = NearestSearch(
            context: self, point: point, request: request, latitude: latitude, longitude: longitude,
            farthest: metres ?? .infinity)
        return try search.results()
    }
}

private struct NearestSearch<Object: NSManagedObject> {
    /// The first box, and the factor by which boxes grow.
    private static var firstMetres: Double { 1_000 }
    private static var growth: Double { 8 }
    /// No two points are farther from each other.
    private static var halfCircle: Double { GeographicCoordinate.earthRadius * .pi }

    let context: NSManagedObjectContext
    let point: GeographicCoordinate
    let request: NSFetchRequest<Object>
    let latitude: String
    let longitude: String
    let farthest: Double

    func results() throws -> [NearbyResult<Object>] {
        let isIndexed = try request.fetchLimit > 0 && hasIndex()
        guard point.isValid, farthest >= 0 else { return [] }
        var metres = isIndexed ? min(Self.firstMetres, farthest) : farthest
        while true {
            // All objects within `metres` are known, so no other one is nearer.
            let found = try within(metres)
            let isComplete = metres >= min(farthest, Self.halfCircle)
            if isComplete || found.count >= request.fetchOffset + request.fetchLimit {
                let rest = found.dropFirst(request.fetchOffset)
                return Array(request.fetchLimit > 0 ? rest.prefix(request.fetchLimit) : rest)
            }
            metres = min(metres * Self.growth, farthest)
        }
    }

    /// In the order of their distance; objects at one distance keep the order of the request.
    private func within(_ metres: Double) throws -> [NearbyResult<Object>] {
        let box = NSFetchRequest<Object>()
        box.settings = request.settings
        box.affectedStores = request.affectedStores
        box.fetchBatchSize = 0
        (box.fetchOffset, box.fetchLimit) = (0, 0)
        let places = NSPredicate.within(
            GeographicBox(around: point, metres: metres), latitude: latitude, longitude: longitude)
        box.predicate = NSCompoundPredicate(
            andPredicateWithSubpredicates: [request.predicate, places].compactMap(\.self))
        let results = try context.fetch(box).compactMap { object -> NearbyResult<Object>? in
            guard let place = place(of: object) else { return nil }
            let distance = point.distance(to: place)
            return distance <= metres ? NearbyResult(object: object, distance: distance) : nil
        }
        return results.enumerated()
            .sorted { ($0.element.distance, $0.offset) < ($1.element.distance, $1.offset) }.map(\.element)
    }

    private func place(of object: Object) -> GeographicCoordinate? {
        func degrees(_ path: String) -> Double? {
            object.value(forKeyPath: path).flatMap(AttributeValues.number)?.doubleValue
        }
        guard let latitude = degrees(latitude), let longitude = degrees(longitude) else { return nil }
        return GeographicCoordinate(latitude: latitude, longitude: longitude)
    }

    /// Whether the model has an R-tree index of both attributes, for the entity or a superentity.
    private func hasIndex() throws -> Bool {
        let entity = try FetchExecution(context.state, request).prepared.layout.entity
        return entity.lineage.flatMap(\.indexes).contains { index in
            let names = index.elements.filter { $0.collationType == .rTree }.compactMap(\.propertyName)
            return names.contains(latitude) && names.contains(longitude)
        }
    }
}
