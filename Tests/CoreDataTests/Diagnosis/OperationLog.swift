// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// An observer that keeps the operations of stores, for tests.

import CoreData
import Synchronization

final class OperationLog: StoreObserver {
    struct Entry: Sendable {
        let operation: StoreOperation
        /// nil until the operation has ended.
        var report: StoreOperationReport?
    }

    @TaskLocal static var request: String?

    private let list = Mutex<[Entry]>([])

    func contextOfCaller() -> (any Sendable)? { Self.request }

    func begin(_ operation: StoreOperation) -> StoreOperation.End? {
        let index = list.withLock { list in
            list.append(Entry(operation: operation))
            return list.count - 1
        }
        return { [self] report in list.withLock { $0[index].report = report } }
    }

    /// The operations since the last call.
    func take() -> [Entry] {
        list.withLock { list in
            defer { list = [] }
            return list
        }
    }
}

extension [OperationLog.Entry] {
    func of(_ kind: StoreOperation.Kind) -> [OperationLog.Entry] { filter { $0.operation.kind == kind } }

    var kinds: [String] { map(\.operation.kind.rawValue) }
}
