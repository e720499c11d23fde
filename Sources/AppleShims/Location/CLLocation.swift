// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A measured place, and the distance of two places.

public import Foundation

/// A length in metres.
public typealias CLLocationDistance = Double
/// Metres of a possible error; negative for an unknown one.
public typealias CLLocationAccuracy = Double

/// A place with the time of its measurement. Instances are immutable, and any thread may use them.
///
/// ```swift
/// let metres = CLLocation(latitude: 52.5, longitude: 13.4).distance(from: home)
/// ```
open class CLLocation: NSObject, NSCopying, @unchecked Sendable {
    // Immutable, which makes the class safe for all threads.

    /// The place.
    public let coordinate: CLLocationCoordinate2D
    /// Metres above the sea.
    public let altitude: CLLocationDistance
    /// Metres of a possible error; negative for a place that is not valid.
    public let horizontalAccuracy: CLLocationAccuracy
    /// Metres of a possible error of the altitude; negative for an altitude that is not valid.
    public let verticalAccuracy: CLLocationAccuracy
    /// The time of the measurement.
    public let timestamp: Date

    /// Makes a place that was measured now, with altitude 0.
    public convenience init(latitude: CLLocationDegrees, longitude: CLLocationDegrees) {
        self.init(
            coordinate: CLLocationCoordinate2D(latitude: latitude, longitude: longitude), altitude: 0,
            horizontalAccuracy: 0, verticalAccuracy: -1, timestamp: Date())
    }

    /// Makes a place.
    public init(
        coordinate: CLLocationCoordinate2D, altitude: CLLocationDistance, horizontalAccuracy: CLLocationAccuracy,
        verticalAccuracy: CLLocationAccuracy, timestamp: Date
    ) {
        self.coordinate = coordinate
        self.altitude = altitude
        self.horizontalAccuracy = horizontalAccuracy
        self.verticalAccuracy = verticalAccuracy
        self.timestamp = timestamp
    }

    /// The same object, which is immutable.
    open func copy(with zone: NSZone? = nil) -> Any { self }

    /// The length in metres of the shortest way over the earth's ellipsoid (WGS 84), without altitudes.
    open func distance(from location: CLLocation) -> CLLocationDistance {
        Geodesic.distance(coordinate, location.coordinate)
    }
}

/// The inverse method of Vincenty, "Direct and Inverse Solutions of Geodesics on the Ellipsoid" (1975).
private enum Geodesic {
    private static let (equator, flattening) = (6_378_137.0, 1 / 298.257_223_563)

    static func distance(_ a: CLLocationCoordinate2D, _ b: CLLocationCoordinate2D) -> Double {
        guard a.latitude != b.latitude || a.longitude != b.longitude else { return 0 }
        let pole = equator * (1 - flattening)
        let difference = (b.longitude - a.longitude) * .pi / 180
        func reduced(_ latitude: Double) -> Double { atan((1 - flattening) * tan(latitude * .pi / 180)) }
        let (first, second) = (reduced(a.latitude), reduced(b.latitude))
        let (sine1, cosine1, sine2, cosine2) = (sin(first), cos(first), sin(second), cos(second))
        var lambda = difference
        for _ in 0..<200 {
            let (x, y) = (cosine2 * sin(lambda), cosine1 * sine2 - sine1 * cosine2 * cos(lambda))
            let (sine, cosine) = ((x * x + y * y).squareRoot(), sine1 * sine2 + cosine1 * cosine2 * cos(lambda))
            guard sine > 0 else { return 0 }
            let arc = atan2(sine, cosine)
            let azimuth = cosine1 * cosine2 * sin(lambda) / sine
            let square = 1 - azimuth * azimuth
            let middle = square > 0 ? cosine - 2 * sine1 * sine2 / square : 0
            let c = flattening / 16 * square * (4 + flattening * (4 - 3 * square))
            let old = lambda
            lambda =
                difference + (1 - c) * flattening * azimuth
                * (arc + c * sine * (middle + c * cosine * (2 * middle * middle - 1)))
            guard abs(lambda - old) < 1e-12 else { continue }
            let u = square * (equator * equator - pole * pole) / (pole * pole)
            let (p, q) = (
                1 + u / 16384 * (4096 + u * (-768 + u * (320 - 175 * u))),
                u / 1024 * (256 + u * (-128 + u * (74 - 47 * u)))
            )
            let inner =
                cosine * (2 * middle * middle - 1) - q / 6 * middle * (4 * sine * sine - 3) * (4 * middle * middle - 3)
            return pole * p * (arc - q * sine * (middle + q / 4 * inner))
        }
        // The method does not converge for nearly opposite places: half of the earth's circumference over the poles.
        return .pi * (equator + pole) / 2
    }
}
