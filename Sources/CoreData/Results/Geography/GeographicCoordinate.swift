// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A point on the Earth, and the distance between two of them. Geography-4.

import Foundation

/// A point on the Earth.
///
/// ```swift
/// let hamburg = GeographicCoordinate(latitude: 53.55, longitude: 9.99)
/// let munich = GeographicCoordinate(latitude: 48.14, longitude: 11.58)
/// print(hamburg.distance(to: munich))  // in metres
/// ```
public struct GeographicCoordinate: Hashable, Sendable {
    /// The radius of a sphere with the Earth's mean radius, in metres.
    static let earthRadius = 6_371_008.8

    /// In degrees, from -90 at the south pole to 90 at the north pole.
    public var latitude: Double
    /// In degrees, from -180 to 180; eastern ones are positive.
    public var longitude: Double

    /// Creates a point from degrees.
    public init(latitude: Double, longitude: Double) {
        self.latitude = latitude
        self.longitude = longitude
    }

    /// Whether both numbers are in their ranges.
    public var isValid: Bool { (-90...90).contains(latitude) && (-180...180).contains(longitude) }

    /// The distance along the surface, in metres, on a sphere with the Earth's mean radius. It differs by at most 0.6 %
    /// from that on an ellipsoid.
    public func distance(to other: GeographicCoordinate) -> Double {
        let (one, two) = (latitude * .pi / 180, other.latitude * .pi / 180)
        let halfLatitude = sin((two - one) / 2)
        let halfLongitude = sin((other.longitude - longitude) * .pi / 360)
        let square = halfLatitude * halfLatitude + cos(one) * cos(two) * halfLongitude * halfLongitude
        return 2 * Self.earthRadius * asin(min(1, square.squareRoot()))
    }
}
