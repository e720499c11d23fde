// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Collects the arguments of handlers, for later checks.

/// The added values in order. For handlers that are called on one thread.
public final class ValueLog<Value>: @unchecked Sendable {  // used on one thread
    public private(set) var values: [Value] = []
    public init() {}
    public func add(_ value: Value) { values.append(value) }
    public var count: Int { values.count }

    /// The values since the last time, or since the beginning.
    public func news() -> [Value] {
        defer { values = [] }
        return values
    }
}
