// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The elements of composite attributes, which are values of nested dictionaries.

extension [String: Any] {
    /// Sets a value in nested dictionaries and creates missing ones.
    mutating func set(_ value: Any, at path: ArraySlice<String>) {
        guard let name = path.first else { return }
        if path.count == 1 {
            self[name] = value
        } else {
            var inner = self[name] as? [String: Any] ?? [:]
            inner.set(value, at: path.dropFirst())
            self[name] = inner
        }
    }

    /// The value in nested dictionaries; nil if it is null or missing.
    func value(at path: ArraySlice<String>) -> Any? {
        guard let name = path.first, let value = Snapshot.unwrapped(self[name]) else { return nil }
        if path.count == 1 { return value }
        return (value as? [String: Any])?.value(at: path.dropFirst())
    }
}
