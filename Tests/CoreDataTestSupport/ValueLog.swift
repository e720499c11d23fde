// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Collects what handlers are told, to be looked at afterwards.

/// What was added, in order. For handlers that are called on one thread.
public final class ValueLog<Value>: @unchecked Sendable {  // used on one thread
    public private(set) var values: [Value] = []
    public init() {}
    public func add(_ value: Value) { values.append(value) }
    public var count: Int { values.count }

    /// What was added since the last time, or since the beginning.
    public func news() -> [Value] {
        defer { values = [] }
        return values
    }
}
