// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Runs the requests of a context as operations that observers see. Documentation/Internals/Telemetry.md

extension ContextState {
    /// Runs the body as an operation of this context's stores.
    @inline(__always) func observing<T>(
        _ kind: StoreOperation.Kind, _ entity: @autoclosure () -> String?, rows: (T) -> Int, _ body: () throws -> T
    ) throws -> T {
        guard let observation, observation.isActive else { return try body() }
        return try observation.run(kind, { describe($0, entity()) }, rows: rows, body)
    }

    /// Begins an operation that does not end with the caller's code.
    ///
    /// - Returns: nil without observers.
    func begin(_ kind: StoreOperation.Kind, _ entity: String?) -> RunningOperation? {
        observation?.begin(kind) { describe($0, entity) }
    }

    @inline(__always) private func describe(_ running: RunningOperation, _ entity: String?) {
        running.entityName = entity
        running.contextName = settings.read(\.name)
    }
}
