// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Ends an operation that takes too long (H5).

/// - Returns: nil if the operation did not end in time. It was cancelled then, and has ended.
func withTimeLimit<Result: Sendable>(
    _ limit: Duration, _ operation: @escaping @Sendable () async throws -> Result
) async throws -> Result? {
    try await withThrowingTaskGroup(of: Result?.self) { group in
        defer { group.cancelAll() }
        group.addTask { try await operation() }
        group.addTask {
            try await Task.sleep(for: limit)
            return nil
        }
        return try await group.next() ?? nil
    }
}
