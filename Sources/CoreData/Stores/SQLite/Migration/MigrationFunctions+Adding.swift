// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Adds the functions that the statements of a migration call.

import Foundation
import SQLiteDriver

extension MigrationFunctions {
    /// - Parameter folder: the folder of the store's large data.
    static func add(to connection: Connection, folder: URL) throws {
        try SQLiteFunctions.add(to: connection)
        try SQLiteFunctions.addTriggerFunctions(to: connection, recorder: DerivedRecorder())
        let counters = OrderCounters()
        try connection.addFunction(nextOrder, argumentCount: 1, options: .directOnly) { arguments in
            arguments.isNull(0) ? .null : .integer(counters.next(arguments.int64(0)))
        }
        try connection.addFunction(inline, argumentCount: 1, options: .directOnly) { arguments in
            arguments[0].blobValue.map { .blob(ExternalColumn.inline($0)) } ?? .null
        }
        try connection.addFunction(contents, argumentCount: 1, options: .directOnly) { arguments in
            guard let column = arguments[0].blobValue else { return .null }
            guard let name = ExternalColumn.fileName(column) else { return .blob(Data(column.dropFirst())) }
            return .blob(try Data(contentsOf: folder.appendingPathComponent(name)))
        }
    }
}

/// The last order key of each owner. One script uses one instance, on the connection of its migration.
private final class OrderCounters: @unchecked Sendable {  // used by the one thread of a connection
    private var last: [Int64: Int64] = [:]

    func next(_ owner: Int64) -> Int64 {
        let key = last[owner].map { $0 + 1024 } ?? 2048
        last[owner] = key
        return key
    }
}
