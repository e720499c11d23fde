// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Declares a key path to be sendable. Swift has no cast for that.

/// Assumption: the key path captures nothing, as those that `@Model` writes; and `Sendable` is a marker, without a
/// table of functions, so that both types have the same form.
enum SendablePath {
    static func of<Model>(_ path: PartialKeyPath<Model>) -> any PartialKeyPath<Model> & Sendable {
        unsafeBitCast(path, to: (any PartialKeyPath<Model> & Sendable).self)
    }

    static func of<Model, Value>(_ path: KeyPath<Model, Value>) -> any KeyPath<Model, Value> & Sendable {
        unsafeBitCast(path, to: (any KeyPath<Model, Value> & Sendable).self)
    }
}
