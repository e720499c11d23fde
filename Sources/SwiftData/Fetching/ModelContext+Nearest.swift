// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Finds the models nearest to a point.

public import CoreData
import Foundation

extension ModelContext {
    /// Finds the models nearest to a point, the nearest one first.
    ///
    /// ```swift
    /// let here = GeographicCoordinate(latitude: 53.55, longitude: 9.99)
    /// let all = FetchDescriptor<City>()
    /// let nearest = try context.nearest(to: here, in: all, latitude: \.latitude, longitude: \.longitude)
    /// ```
    ///
    /// Models without coordinates are not found. Unsaved changes count.
    ///
    /// - Parameters:
    ///   - point: in degrees. A point beyond 90 or 180 degrees, or with NaN, finds nothing.
    ///   - descriptor: further conditions, limit and offset. Its order sorts models at one distance.
    ///   - latitude: a number, in degrees.
    ///   - longitude: a number, in degrees.
    ///   - metres: the greatest distance; nil for any.
    /// - Returns: at most `fetchLimit` results.
    /// - Throws: as `fetch(_:)`.
    /// - Important: call on the context's actor.
    /// - SeeAlso: `NSManagedObjectContext.nearest(to:in:latitude:longitude:within:)`
    public func nearest<T: PersistentModel>(
        to point: GeographicCoordinate, in descriptor: FetchDescriptor<T>,
        latitude: PartialKeyPath<T>, longitude: PartialKeyPath<T>, within metres: Double? = nil
    ) throws -> [NearbyResult<T>] {
        synchronize()
        let translation = FetchTranslation(descriptor, self)
        let request = try translation.request()
        let names = (try translation.name(latitude), try translation.name(longitude))
        let results = try asking(descriptor) {
            try below.nearest(to: point, in: request, latitude: names.0, longitude: names.1, within: metres)
        }
        return results.compactMap { result in result.object.model(as: T.self).map { result.replacing($0) } }
    }
}
