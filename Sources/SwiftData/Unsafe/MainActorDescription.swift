// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The schema of a class on the main actor, for any thread.

/// Runs a description of a class that `@Model` wrote. Not for direct use.
///
/// Only code of the main actor can form key paths of a class on the main actor.
///
/// Assumption: forming a key path, and making an initial value, touch nothing that belongs to the main actor; and the
/// actor is no part of a closure's form.
public nonisolated func _describe(
    _ body: @MainActor () -> [Schema.PropertyMetadata]
) -> [Schema.PropertyMetadata] {
    withoutActuallyEscaping(body) { unsafeBitCast($0, to: (() -> [Schema.PropertyMetadata]).self)() }
}
