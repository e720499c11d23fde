// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Keeps the engine's context alive for models that outlive the context's handle. SwiftData-L2.

/// One for a context, retained by its models. The release of the last model ends it, on any thread.
final class ContextRetainer {
    private let below: EngineContext

    init(_ below: EngineContext) { self.below = below }

    deinit { below.endHold() }
}
