// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The token of an observation by key path.

public import Foundation

/// The result of `observe(_:options:changeHandler:)`. The observation lasts as long as this object,
/// or until `invalidate()`.
///
/// It does not retain the observed object. It may be released and invalidated on any thread.
public final class NSKeyValueObservation: NSObject, Sendable {
    private let end: @Sendable () -> Void

    /// - Parameter end: called at least once, on any thread.
    package init(end: @escaping @Sendable () -> Void) { self.end = end }

    /// Ends the observation and releases the handler.
    public func invalidate() { end() }

    deinit { end() }
}
