// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The token of an observation by key path.

public import Foundation

/// What `observe(_:options:changeHandler:)` gives: the observation lasts as long as this object, or until
/// `invalidate()`.
///
/// It does not hold the observed object. It may be let go, and invalidated, on any thread.
public final class NSKeyValueObservation: NSObject, Sendable {
    private let end: @Sendable () -> Void

    /// - Parameter end: is called once or several times, on any thread.
    package init(end: @escaping @Sendable () -> Void) { self.end = end }

    /// Ends the observation: the handler is not called any more, and what it holds is let go.
    public func invalidate() { end() }

    deinit { end() }
}
