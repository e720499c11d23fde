// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Remembers the last rounds of a client in the sidecar, so that a tool can show them when the app has ended.
import CoreData
package import Foundation

/// One round, or several equal ones in a row that moved nothing.
package struct SyncRound: Codable, Hashable, Sendable {
    /// The end of the first round, and that of the last one.
    package var first: Date, last: Date
    /// The number of rounds.
    package var times = 1
    package var report = SyncReport()
    /// nil for success.
    package var error: SyncRoundError?

    /// Whether nothing was sent or applied, and nothing failed.
    var isIdle: Bool { error == nil && report == SyncReport() }
}

/// The error that ended a round.
package struct SyncRoundError: Codable, Hashable, Sendable {
    package var domain: String
    package var code: Int
    /// For people; without credentials.
    package var text: String

    init(_ error: any Error) {
        let cause = error as NSError
        domain = cause.domain
        code = cause.code
        text = error.localizedDescription
    }
}

extension Sidecar {
    private static let mostRounds: Int64 = 200
    /// Idle rounds write to the sidecar no more often than this.
    private static let idleInterval = 30.0

    /// Notes a round that has ended. Equal ones in a row that moved nothing become one row (A4).
    func note(_ report: SyncReport, _ error: (any Error)?, at date: Date) throws {
        var round = SyncRound(first: date, last: date, report: report, error: error.map(SyncRoundError.init))
        try perform {
            let last = try roundRows(ascending: false, limit: 1).first
            let previous: SyncRound? = last?.decoded("round")
            if let last, let previous, previous.report == SyncReport(), report == SyncReport(),
                previous.error == round.error
            {
                if round.isIdle, date.timeIntervalSince(previous.last) < Self.idleInterval { return }
                round.first = previous.first
                round.times = previous.times + 1
                last.encode(round, "round")
            } else {
                let number = ((last?.value(forKey: "number") as? NSNumber)?.int64Value ?? 0) + 1
                let row = NSEntityDescription.insertNewObject(forEntityName: SidecarEntities.round, into: context)
                row.setValue(number, forKey: "number")
                row.encode(round, "round")
                let old = try roundRows(NSPredicate(format: "number <= %lld", number - Self.mostRounds))
                for row in old { context.delete(row) }
            }
            try save()
        }
    }

    /// The rounds, the oldest first.
    func rounds() throws -> [SyncRound] { try roundRows().compactMap { $0.decoded("round") } }

    private func roundRows(
        _ predicate: NSPredicate? = nil, ascending: Bool = true, limit: Int = 0
    ) throws -> [NSManagedObject] {
        let request = NSFetchRequest<NSManagedObject>(entityName: SidecarEntities.round)
        request.predicate = predicate
        request.sortDescriptors = [NSSortDescriptor(key: "number", ascending: ascending)]
        request.fetchLimit = limit
        request.returnsObjectsAsFaults = false
        return try context.fetch(request)
    }
}
