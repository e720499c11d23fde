// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A part of the Earth between two meridians and two parallels, as a condition of any store. Geography-1 to 3.

import CoreDataFoundation
public import Foundation

/// A part of the Earth between two parallels and two meridians.
///
/// ```swift
/// let germany = GeographicBox(south: 47.2, west: 5.8, north: 55.1, east: 15.1)
/// request.predicate = .within(germany, latitude: "latitude", longitude: "longitude")
/// ```
///
/// A box whose `west` is greater than its `east` goes across the 180th meridian. The edges belong to the box. A box up
/// to a pole has the pole, whatever its longitude.
public struct GeographicBox: Hashable, Sendable {
    /// The southern edge, in degrees.
    public var south: Double
    /// The western edge, in degrees.
    public var west: Double
    /// The northern edge, in degrees.
    public var north: Double
    /// The eastern edge, in degrees.
    public var east: Double

    /// Creates a box of its edges, in degrees. A box whose south is greater than its north, or with NaN, is empty.
    /// Longitudes beyond 180 degrees continue around the Earth; a box of 360 degrees or more has all longitudes.
    public init(south: Double, west: Double, north: Double, east: Double) {
        self.south = south
        self.west = west
        self.north = north
        self.east = east
    }

    /// The least box with all points within a distance.
    ///
    /// - Parameters:
    ///   - center: in degrees.
    ///   - metres: at least 0; infinity for the whole Earth.
    public init(around center: GeographicCoordinate, metres: Double) {
        let angle = metres / GeographicCoordinate.earthRadius
        // A margin of a millimetre: the edges are rounded, and the exact distance decides.
        let latitudes = (angle * 180 / .pi).nextUp + 1e-8
        self.init(
            south: center.latitude - latitudes, west: -180, north: center.latitude + latitudes, east: 180)
        guard south > -90, north < 90 else { return }
        let longitudes = asin(min(1, sin(angle) / cos(center.latitude * .pi / 180))) * 180 / .pi + 1e-8
        (west, east) = (center.longitude - longitudes, center.longitude + longitudes)
    }

    /// Whether a point is in the box. A point with NaN, or beyond the ranges of degrees, is in none.
    public func contains(_ point: GeographicCoordinate) -> Bool {
        guard point.isValid, south <= point.latitude, point.latitude <= north else { return false }
        return abs(point.latitude) == 90 || longitudes.contains { $0.contains(point.longitude) }
    }

    /// The ranges of longitudes, within -180 to 180.
    private var longitudes: [ClosedRange<Double>] {
        let width = east >= west ? east - west : east - west + 360
        guard width >= 0 else { return [] }
        if width >= 360 { return [-180...180] }
        let (west, east) = (Self.wrapped(west), Self.wrapped(east))
        var ranges = west <= east ? [west...east] : [west...180, -180...east]
        // The 180th meridian has two numbers.
        if ranges.contains(where: { $0.contains(180) }), !ranges.contains(where: { $0.contains(-180) }) {
            ranges.append(-180 ... -180)
        } else if ranges.contains(where: { $0.contains(-180) }), !ranges.contains(where: { $0.contains(180) }) {
            ranges.append(180...180)
        }
        return ranges
    }

    private static func wrapped(_ longitude: Double) -> Double {
        if (-180...180).contains(longitude) { return longitude }
        return longitude - 360 * ((longitude + 180) / 360).rounded(.down)
    }

    /// The condition by comparisons, which every store answers and an R-tree index serves.
    func syntax(latitude: String, longitude: String) -> PredicateSyntax {
        func compare(_ path: String, _ operation: ComparisonSyntax.Operator, _ value: Double) -> PredicateSyntax {
            .comparison(ComparisonSyntax(.keyPath(path), operation, .constant(value)))
        }
        func between(_ path: String, _ range: ClosedRange<Double>) -> PredicateSyntax {
            .and([
                compare(path, .greaterThanOrEqualTo, range.lowerBound),
                compare(path, .lessThanOrEqualTo, range.upperBound),
            ])
        }
        let ranges = longitudes
        let (least, greatest) = (max(south, -90), min(north, 90))
        guard least <= greatest, !ranges.isEmpty else { return .constant(false) }
        var places = ranges.map { between(longitude, $0) }
        if ranges != [-180...180] {
            let poles = [-90.0, 90.0].filter { least <= $0 && $0 <= greatest }
            places += poles.map { .and([compare(latitude, .equalTo, $0), between(longitude, -180...180)]) }
        }
        return .and([between(latitude, least...greatest), places.count == 1 ? places[0] : .or(places)])
    }
}

extension NSPredicate {
    /// The objects whose coordinates are in a box.
    ///
    /// ```swift
    /// let box = GeographicBox(south: -20, west: 175, north: -10, east: -170)  // across the 180th meridian
    /// request.predicate = .within(box, latitude: "latitude", longitude: "longitude")
    /// let islands = try context.fetch(request)
    /// ```
    ///
    /// Objects without coordinates, and those whose coordinates are beyond 90 or 180 degrees, are in no box. The
    /// condition consists of comparisons, so every store evaluates it, and it can be a part of another one.
    ///
    /// - Parameters:
    ///   - box: in degrees.
    ///   - latitude: the key path of a number, in degrees.
    ///   - longitude: the key path of a number, in degrees.
    /// - Complexity: a SQLite store reads an R-tree index of both attributes, if the model has one
    ///   (`NSFetchIndexElementType.rTree`).
    public static func within(
        _ box: GeographicBox, latitude: String = "latitude", longitude: String = "longitude"
    ) -> NSPredicate {
        box.syntax(latitude: latitude, longitude: longitude).predicate
    }
}
