// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The values of Core Location that models compute from their attributes.

/// An angle in degrees.
public typealias CLLocationDegrees = Double

/// A place on the earth as a plain value.
///
/// ```swift
/// var coordinate: CLLocationCoordinate2D {
///     CLLocationCoordinate2D(latitude: latitude, longitude: longitude)
/// }
/// ```
public struct CLLocationCoordinate2D: Sendable {
    /// Degrees north of the equator.
    public var latitude: CLLocationDegrees
    /// Degrees east of the zero meridian.
    public var longitude: CLLocationDegrees

    /// The place at 0°, 0°.
    public init() { (latitude, longitude) = (0, 0) }

    /// Makes a place. The values are not checked.
    public init(latitude: CLLocationDegrees, longitude: CLLocationDegrees) {
        self.latitude = latitude
        self.longitude = longitude
    }
}
