// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Limits on the countable costs of the measured jobs on a server: crossings of the line, and statements.

import CoreDataTestSupport
import Foundation
import Testing

@testable import CoreData
@testable import CoreDataPostgreSQL

/// Limits that hold on every machine, unlike the times of Documentation/Performance.md.
@Suite("Crossings and statements of the measured jobs on a PostgreSQL server", .needsServer) struct ServerJobTests {
    /// At most, for 1,000 employees in 10 departments, and 10 requests. The first time a statement with streamed rows
    /// is used, its preparation is a crossing more.
    private static let limits: [MeasuredJob: (crossings: Int, statements: Int)] = [
        // Keys of each entity; BEGIN, the token, two queries after it, rows of each entity, the constraints; COMMIT.
        .insert: (4, 10),
        .read: (2, 1),
        .lookUp: (11, 10),
        .search: (10, 10),
        .follow: (4, 2),
        // The fetch; BEGIN, the token, two queries after it, all rows, the constraints; COMMIT.
        .change: (4, 8),
        // As a change, and the inverses before it.
        .delete: (8, 14),
        .summarize: (10, 10),
    ]

    private func work(_ job: MeasuredJob) throws -> MeasuredWork {
        try MeasuredWork(1_000, for: job, in: .postgresql, options: [NSPersistentStoreConnectionPoolMaxSizeKey: 1])
    }

    @Test("are no more than the work needs", arguments: MeasuredJob.allCases)
    func first(job: MeasuredJob) throws {
        let work = try work(job)
        let limit = try #require(Self.limits[job])
        let found = try work.stack.crossings { try work.run(job) }
        #expect(found.count <= limit.crossings, "\(job): \(found.count)")
        #expect(found.statements.count <= limit.statements, "\(job): \(found.statements)")
    }

    @Test("are one for each request with a prepared statement", arguments: MeasuredJob.ofRequests)
    func prepared(job: MeasuredJob) throws {
        let work = try work(job)
        _ = try work.run(job)
        let found = try work.stack.crossings { try work.run(job) }
        #expect(found.count == MeasuredJob.repetitions)
        #expect(found.statements.count == MeasuredJob.repetitions)
    }
}
