// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// An object with its distance from a point.

/// An object with its distance from the point of `nearest(to:in:latitude:longitude:within:)`.
public struct NearbyResult<Object> {
    /// A managed object, or a model of SwiftData.
    public let object: Object
    /// In metres, as `GeographicCoordinate.distance(to:)` gives it.
    public let distance: Double

    /// The same result with another face of its object.
    package func replacing<Other>(_ object: Other) -> NearbyResult<Other> {
        NearbyResult<Other>(object: object, distance: distance)
    }
}

extension NearbyResult: Sendable where Object: Sendable {}
