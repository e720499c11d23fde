// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// One life of a store with one fault in it: made, saved, read, closed, opened, copied, replaced and destroyed.

import CFaults
import CoreData
import CoreDataTestSupport
import Foundation

/// # States
///     armed ──a step throws──▶ disarmed: the store holds the world before or after the save; the step is tried again
///       └──all steps succeed──▶ disarmed: the store holds the last world, and nothing else
final class FaultRun {
    private let job: Faults.Job
    private let options: Options
    private let number: Int
    private let report: Report
    private let place: Place
    private let workload: Workload
    private var site: Site?
    /// The number of saves that are certainly stored.
    private var saved = 0
    /// The world after the batch request.
    private var batchWorld: World?
    private static let saves = 4

    init(_ job: Faults.Job, _ options: Options, number: Int, _ report: Report) throws {
        (self.job, self.options, self.number, self.report) = (job, options, number, report)
        place = try Place()
        workload = Workload(seed: options.seed, saves: Self.saves)
    }

    /// - Returns: the number of calls that were counted.
    func run() throws -> Int {
        let descriptors = openDescriptors()
        ocd_watch(place.folder.path)
        ocd_faults_arm(job.layer, job.mode, Int64(number), job.isLasting)
        steps()
        let calls = Int(ocd_faults_disarm())
        checkEnd()
        site = nil
        ocd_watch(nil)
        let left = openDescriptors()
        if left > descriptors { report.finding("\(left - descriptors) descriptors more than before, after \(call)") }
        return calls
    }

    private var call: String { "a failed \(String(cString: ocd_faults_call()))" }
    private var copy: URL { place.folder.appending(path: "Copy.sqlite") }
    private var world: World { batchWorld ?? workload.worlds[saved] }

    // MARK: Steps

    private func steps() {
        guard attempt("opening", { site = try Site(job.setup, place.store) }) else { return }
        for number in 0..<Self.saves {
            if number == 2 {
                guard reopen() else { return }
            }
            site?.perform(workload.saves[number])
            guard save() else { return }
            if number == 1 { site?.context.refreshAllObjects() }
            if number == 2 { _ = attempt("fetching") { try expect(site?.lines() ?? [:], "a fetch") } }
        }
        guard insertBatch() else { return }
        _ = attempt("backing up") { try site?.store.backup(to: copy) }
        _ = attempt("closing") { try site?.close() }
        site = nil
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: ProvingModel.shared)
        let type = job.setup.type
        _ = attempt("replacing") {
            try coordinator.replacePersistentStore(
                at: copy, destinationOptions: nil, withPersistentStoreFrom: place.store, sourceOptions: nil,
                ofType: type)
        }
        _ = attempt("destroying") {
            try coordinator.destroyPersistentStore(at: copy, ofType: type, options: nil)
        }
    }

    /// A request that fails is executed once more, and inserts its objects only once.
    private func insertBatch() -> Bool {
        let numbers = 800_001...800_003
        var after = world
        for number in numbers { after.apply(.insertPiece(number, of: 0)) }
        let isWhole = attempt("inserting in a batch") {
            try site?.insertPieces(numbers)
        } between: {
            let found = try Site.contents(job.setup, place.store, readOnly: true)
            if found != world.lines, found != after.lines {
                report.findings(Line.differences(found, after.lines), "a part of a batch, \(call)")
            }
        }
        batchWorld = after
        return isWhole
    }

    private func reopen() -> Bool {
        _ = attempt("closing") { try site?.close() }
        site = nil
        return attempt("opening again") {
            site = try Site(job.setup, place.store)
            try site?.load()
        }
    }

    private func save() -> Bool {
        var attempts = 0
        let isWhole = attempt("saving") {
            guard let site else { return }
            attempts += 1
            do {
                try site.context.save()
            } catch  where attempts > 1 && "\(error)".contains("Values could not be read") {
                // A setter met an unreadable value. The error asks for a rollback (Saving-E2).
                site.context.rollback()
                try site.load()
                site.perform(workload.saves[saved])
                try site.context.save()
                report.count("saves begun again after unreadable values")
            }
        } between: {
            // Without the fault: the save before or this one, and no state in between.
            let found = try Site.contents(job.setup, place.store, readOnly: true)
            let before = Line.differences(found, workload.worlds[saved].lines)
            let after = Line.differences(found, workload.worlds[saved + 1].lines)
            if !before.isEmpty, !after.isEmpty { report.findings(before, "neither before nor after, \(call)") }
        }
        saved += 1
        if options.isPlanted, saved == 3 { site?.perform(.rename(1, "planted")) }
        return isWhole
    }

    /// Tries a step, and once more without the fault if it throws.
    private func attempt(_ name: String, _ step: () throws -> Void, between: () throws -> Void = {}) -> Bool {
        do {
            try step()
            return true
        } catch {
            guard ocd_faults_fired() > 0 else {
                report.finding("\(name) throws without a fault: \(error)")
                return false
            }
            _ = ocd_faults_disarm()
            report.count("errors thrown")
            do {
                try between()
            } catch {
                report.finding("\(name), \(call): the store is not readable: \(error)")
            }
        }
        do {
            try step()
            return true
        } catch {
            report.finding("\(name), \(call): it fails again without the fault: \(error)")
            return false
        }
    }

    private func expect(_ found: [Int: String], _ text: String) {
        // A read that cannot throw leaves values out; the next save reports it.
        if number != 0, ocd_faults_fired() > 0 { return }
        report.findings(Line.differences(found, world.lines), text)
    }

    // MARK: The end

    /// Opens and closes the store once more, so that all leftovers of a failed removal can be deleted.
    private func checkEnd() {
        do {
            if let site { try site.close() }
            site = nil
            guard saved == Self.saves else { return }
            let found = try Site.contents(job.setup, place.store)
            report.findings(Line.differences(found, world.lines), "at the end, \(call)")
            if let damage = Site.damage(job.setup, place.store) { report.finding("\(damage), \(call)") }
            report.findings(Site.history(job.setup, place.store), "at the end, \(call)")
            let left = Site.leftovers(
                beside: place.store, largeData: job.setup.isSQLite ? world.largeCount : 0,
                also: ["Copy.sqlite", ".Copy_SUPPORT"])
            report.findings(left, "at the end, \(call)")
        } catch {
            report.finding("at the end, \(call): \(error)")
        }
    }
}
