// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// One migration of a store with one fault in it: the older store stays, or the later one is complete.

import CFaults
import CoreData
import CoreDataTestSupport
import Foundation

/// The way in which an older store is migrated.
enum MigrationWay: String, CaseIterable {
    /// By an inferred mapping: statements in a SQLite store, objects in the other kinds.
    case inferred
    /// By objects, with a mapping model.
    case mapping
    /// In two stages, the second one with a handler.
    case staged

    /// A stage migrates by statements or by objects, as the other ways do, so two kinds of stores are enough.
    func applies(to setup: Setup) -> Bool { self != .staged || [.walSearch, .xml].contains(setup) }

    var stages: NSStagedMigrationManager? { self == .staged ? ProvingModel.stages() : nil }
}

/// A store of the older version with some saves, which each run copies.
final class OlderStore {
    let place: Place
    let world: World
    private let other: Place

    init(_ setup: Setup, seed: UInt64) throws {
        (place, other) = (try Place(), try Place())
        let workload = Workload(seed: seed, saves: 4)
        let site = try Site(setup, place.store)
        for operations in workload.saves {
            site.perform(operations)
            try site.context.save()
        }
        try site.close()
        world = workload.worlds[4]
        try ProvingModel.writeMapping(to: mapping)
    }

    /// Outside of the watched folder: its calls are not counted.
    var mapping: URL { other.folder.appending(path: "Mapping.cdm") }

    func copy() throws -> Place { try place.copy() }
}

/// # States
///     armed ──opening throws──▶ disarmed: the older store or the later one, as a whole; it is opened again
///       └──opening succeeds───▶ the later store, which takes one more save; closed, disarmed
struct MigrationFaultRun {
    private let job: Faults.Job
    private let older: OlderStore
    private let report: Report

    init(_ job: Faults.Job, _ older: OlderStore, _ report: Report) {
        (self.job, self.older, self.report) = (job, older, report)
    }

    private var call: String { "a failed \(String(cString: ocd_faults_call()))" }
    private var mapping: URL? { job.way == .mapping ? older.mapping : nil }

    /// - Returns: the number of calls that were counted.
    func run(_ number: Int) throws -> Int {
        let place = try older.copy()
        let descriptors = openDescriptors()
        ocd_watch(place.folder.path)
        ocd_faults_arm(job.layer, job.mode, Int64(number), job.isLasting)
        var calls = 0
        var site: Site?
        do {
            site = try open(place)
            try site?.close()
            calls = Int(ocd_faults_disarm())
        } catch {
            calls = Int(ocd_faults_disarm())
            guard ocd_faults_fired() > 0 else {
                report.finding("the migration throws without a fault: \(error)")
                return calls
            }
            try? site?.close()
            report.count("errors thrown")
            checkBetween(place)
        }
        site = nil
        checkEnd(place)
        ocd_watch(nil)
        let left = openDescriptors()
        if left > descriptors { report.finding("\(left - descriptors) descriptors more than before, after \(call)") }
        return calls
    }

    private func open(_ place: Place) throws -> Site {
        try Site(
            job.setup, place.store, timeout: 1, version: .later, mapping: mapping, stages: job.way?.stages)
    }

    /// Without the fault: the older store, the one between two stages, or the later one, each with its index.
    private func checkBetween(_ place: Place) {
        do {
            let (version, found) = try Site.migratedContents(job.setup, place.store)
            if version == .later { report.count("migrations that stood in spite of an error") }
            if version == .middle, job.way != .staged { report.finding("a version between stages, after \(call)") }
            report.findings(Line.differences(found, older.world.lines), "after \(call)")
            // The index is compared in a copy: an opening for writing would finish the files of the migration.
            guard job.setup.isSearched else { return }
            let copy = try place.copy()
            if let damage = Site.damage(job.setup, copy.store) { report.finding("\(damage), after \(call)") }
        } catch {
            report.finding("after \(call) the store is not readable: \(error)")
        }
    }

    /// The migration works without the fault, the store accepts a save, and no files are left over.
    private func checkEnd(_ place: Place) {
        do {
            var world = older.world
            let site = try open(place)
            defer { try? site.close() }
            try site.load()
            report.findings(Line.differences(try site.lines(), world.lines), "in the later store, \(call)")
            let things = try site.context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Thing"))
            let remarks = things.count { $0.value(forKey: "remark") as? String == ProvingModel.remark }
            if remarks != things.count {
                report.finding("\(things.count - remarks) objects without the default value, \(call)")
            }
            let operation = Operation.insertThing(world.nextNumber, isSpecial: false, name: "After")
            world.apply(operation)
            site.perform(operation)
            try site.context.save()
            try site.close()
            let found = try Site.contents(job.setup, place.store, version: .later)
            report.findings(Line.differences(found, world.lines), "at the end, \(call)")
            if let damage = Site.damage(job.setup, place.store) { report.finding("\(damage), \(call)") }
            // A migration by objects begins a new history.
            if job.way == .inferred {
                report.findings(Site.history(job.setup, place.store, version: .later), "at the end, \(call)")
            }
            let large = job.setup.isSQLite ? world.largeCount : 0
            report.findings(Site.leftovers(beside: place.store, largeData: large), "at the end, \(call)")
        } catch {
            report.finding("at the end, \(call): \(error)")
        }
    }
}
