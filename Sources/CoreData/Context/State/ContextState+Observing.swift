// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Runs the requests of a context as operations that observers see. Documentation/Internals/Telemetry.md

extension ContextState {
    /// Runs the body as an operation of this context's stores.
    @inline(__always) func observing<T>(
        _ kind: StoreOperation.Kind, _ entity: @autoclosure () -> String?, rows: (T) -> Int, _ body: () throws -> T
    ) throws -> T {
        guard let observation, observation.isActive else { return try body() }
        return try observation.run(
            kind,
            {
                $0.entityName = entity()
                $0.contextName = settings.read(\.name)
            }, rows: rows, body)
    }
}
