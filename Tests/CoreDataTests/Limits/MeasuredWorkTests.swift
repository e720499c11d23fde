// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Limits on the costs of the measured jobs that no machine changes: statements exactly, allocations at most.

import CAllocationCounter
import CoreDataTestSupport
import Foundation
import Testing

@testable import CoreData

/// Proves: the limits of the jobs J1 to J8 that are counts
@Suite("Counts of the measured jobs") struct MeasuredWorkTests {
    /// For 1,000 employees in 10 departments, and 10 requests.
    private static let statements: [MeasuredJob: Int] = [
        // Begin, commit; three for the keys of each entity; 31 times 32 rows and 8 single ones, 10 departments.
        .insert: 57,
        .read: 1,
        .lookUp: 10,
        .search: 10,
        .follow: 2,
        // The fetch, begin, commit, and one for each object.
        .change: 1_003,
        // The fetch, begin, commit, and those of the inverses; none for a single object.
        .delete: 9,
        .summarize: 10,
    ]

    /// Blocks of heap in a debug build, where Swift allocates more often: sorting the keys of faults that are read
    /// together makes 50 of those of a deletion, and none in release; so it is with the generic loops of a save. The
    /// number of comparisons of members of sets, which allocate as well, differs from process to process: hence a few
    /// more than were counted (3 of an insertion were seen). Lower it when less will do.
    private static let mostAllocations: [MeasuredJob: Double] = [
        .insert: 129, .read: 25, .lookUp: 56, .search: 640, .follow: 19, .change: 90, .delete: 186, .summarize: 338,
    ]

    /// While the objects of J2 are held, with SQLite's pages, which are some 90 bytes of it.
    private static let mostBytesHeld = 420.0

    @Test("statements are as many as the work needs", arguments: MeasuredJob.allCases)
    func statements(job: MeasuredJob) throws {
        let work = try MeasuredWork(1_000, for: job)
        let counter = try StatementCounter(work.stack.store)
        _ = try work.run(job)
        #expect(counter.statements.count == Self.statements[job])
    }

    @Test(
        "objects allocate no more blocks than they did", .enabled(if: ocd_counts_allocations() && !PortableMode.isOn),
        arguments: MeasuredJob.ofObjects)
    func objects(job: MeasuredJob) throws {
        let (few, many) = (try allocations(job, 1_000), try allocations(job, 2_000))
        let each = Double(many.blocks - few.blocks) / 1_000
        let most = try #require(Self.mostAllocations[job])
        #expect(each > 1)
        #expect(each <= most)
        if job == .read { #expect(Double(many.bytes - few.bytes) / 1_000 <= Self.mostBytesHeld) }
    }

    @Test(
        "requests allocate no more blocks than they did", .enabled(if: ocd_counts_allocations() && !PortableMode.isOn),
        arguments: MeasuredJob.ofRequests)
    func requests(job: MeasuredJob) throws {
        let work = try MeasuredWork(1_000, for: job)
        // The first run prepares statements and makes plans.
        _ = try work.run(job)
        let before = ocd_allocations()
        _ = try work.run(job)
        let each = Double(ocd_allocations() - before) / Double(MeasuredJob.repetitions)
        let most = try #require(Self.mostAllocations[job])
        #expect(each > 1)
        #expect(each <= most)
    }

    /// The allocations of a job on this thread, which does all the work.
    private func allocations(_ job: MeasuredJob, _ count: Int) throws -> (blocks: Int64, bytes: Int64) {
        let work = try MeasuredWork(count, for: job)
        let (blocks, bytes) = (ocd_allocations(), ocd_allocated_bytes())
        let held = try work.run(job)
        return withExtendedLifetime(held) { (ocd_allocations() - blocks, ocd_allocated_bytes() - bytes) }
    }
}
