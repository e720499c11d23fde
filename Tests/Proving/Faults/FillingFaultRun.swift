// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// One save that fills a table, with one fault in it: all rows or none, and the same indexes as before.

import CFaults
import CoreData
import CoreDataTestSupport
import Foundation
import SQLiteDriver

/// The save removes the indexes of the table, and makes them after the rows (Saving-I1).
///
/// # States
///     armed ──the save throws──▶ disarmed: the store is empty, or has all rows; the save is tried again
///       └──the save succeeds───▶ disarmed: the store has all rows
struct FillingFaultRun {
    private static let pieces = 10_000

    private let job: Faults.Job
    private let report: Report

    init(_ job: Faults.Job, _ report: Report) { (self.job, self.report) = (job, report) }

    private var call: String { "a failed \(String(cString: ocd_faults_call()))" }

    /// - Returns: the number of calls that were counted.
    func run(_ number: Int) throws -> Int {
        let place = try Place()
        let site = try Site(job.setup, place.store)
        defer { try? site.close() }
        let before = try indexes(place)
        for number in 1...Self.pieces {
            NSEntityDescription.insertNewObject(forEntityName: "Piece", into: site.context)
                .setValue(number, forKey: "number")
        }
        ocd_watch(place.folder.path)
        ocd_faults_arm(job.layer, job.mode, Int64(number), job.isLasting)
        defer { ocd_watch(nil) }
        do {
            try site.context.save()
            let calls = Int(ocd_faults_disarm())
            try check(place, before, counts: [Self.pieces])
            return calls
        } catch {
            let calls = Int(ocd_faults_disarm())
            guard ocd_faults_fired() > 0 else {
                report.finding("the save throws without a fault: \(error)")
                return calls
            }
            report.count("errors thrown")
            if !site.context.hasChanges { report.finding("the changes are gone, after \(call)") }
            try check(place, before, counts: [0, Self.pieces])
            try site.context.save()
            try check(place, before, counts: [Self.pieces])
            return calls
        }
    }

    private func check(_ place: Place, _ before: Set<String>, counts: Set<Int>) throws {
        let site = try Site(job.setup, place.store)
        let count = try site.context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Piece"))
        try site.close()
        if !counts.contains(count) { report.finding("\(count) pieces, after \(call)") }
        if try indexes(place) != before { report.finding("other indexes, after \(call)") }
        if let damage = Site.damage(job.setup, place.store) { report.finding("\(damage), after \(call)") }
    }

    private func indexes(_ place: Place) throws -> Set<String> {
        let connection = try Connection(url: place.store)
        defer { try? connection.close() }
        let rows = try connection.rows("SELECT sql FROM sqlite_master WHERE type = 'index' AND sql NOT NULL")
        return Set(rows.compactMap { $0[0].textValue })
    }
}
