// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// An observer that keeps the operations of stores, for tests.

public import CoreData
import Synchronization

public final class OperationLog: StoreObserver {
    public struct Entry: Sendable {
        public let operation: StoreOperation
        /// nil until the operation has ended.
        public var report: StoreOperationReport?
    }

    @TaskLocal public static var request: String?

    private let list = Mutex<[Entry]>([])

    public init() {}

    public func contextOfCaller() -> (any Sendable)? { Self.request }

    public func begin(_ operation: StoreOperation) -> StoreOperation.End? {
        let index = list.withLock { list in
            list.append(Entry(operation: operation))
            return list.count - 1
        }
        return { [self] report in list.withLock { $0[index].report = report } }
    }

    /// The operations since the last call.
    public func take() -> [Entry] {
        list.withLock { list in
            defer { list = [] }
            return list
        }
    }
}

extension [OperationLog.Entry] {
    public func of(_ kind: StoreOperation.Kind) -> [OperationLog.Entry] { filter { $0.operation.kind == kind } }
}
