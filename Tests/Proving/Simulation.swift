// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Deterministic runs of several coordinators and contexts on one store, interleaved by a seeded scheduler, with faults.

import CFaults
import CoreData
import CoreDataTestSupport
import Foundation
import SQLiteDriver

/// A job is a kind of store; a case is a seed, which draws everything: actors, settings, the order of steps, faults.
enum Simulation: Harness {
    static let name = "simulation"

    static func jobs(_ options: Options) -> [String] {
        options.isPlanted ? ["wal-normal"] : Setup.allCases.map(\.rawValue)
    }

    static func work(_ job: String, _ options: Options, _ report: Report) {
        guard let setup = Setup(rawValue: job), ocd_faults_install() == 0 else {
            return report.finding("no such job: \(job)")
        }
        for number in 1...options.cases(short: 60, long: 20_000) {
            guard number >= options.first, options.only == nil || number == options.only else { continue }
            report.begin(number, job)
            do {
                try SimulatedRun(setup, seed: options.seed &* 1_000_003 &+ UInt64(number), options, report).run()
                report.count("runs")
            } catch {
                report.finding("\(error)")
            }
        }
        report.done()
    }
}

/// # Invariants
/// (1) A save that returns has all changes of its context; one that throws has none.
/// (2) A save conflicts only if another context saved since this one began to look.
/// (3) A save that returns changed no object that another context changed since: applied to the world as it is, the
/// operations give the contents of the store.
private final class SimulatedRun {
    /// One context with its view of the world, and its changes since.
    private final class Actor {
        let site: Site
        var view: World
        /// The view without its changes.
        var base: World
        var pending: [Operation] = []
        /// The number of saves when its view began.
        var moment: Int

        init(_ site: Site, _ view: World, _ moment: Int) {
            (self.site, self.view, base, self.moment) = (site, view, view, moment)
        }
    }

    private let setup: Setup
    private let options: Options
    private let report: Report
    private let place: Place
    private var random: SeededGenerator
    private var actors: [Actor] = []
    private var committed = World()
    private var moment = 0
    private var nextNumber = 1
    private let pragmas: [String: String]
    private var saves = 0

    init(_ setup: Setup, seed: UInt64, _ options: Options, _ report: Report) throws {
        (self.setup, self.options, self.report) = (setup, options, report)
        place = try Place()
        var random = SeededGenerator(seed: seed)
        var pragmas: [String: String] = [:]
        if setup.isSQLite {
            pragmas["page_size"] = ["512", "1024", "4096", "16384"].randomElement(using: &random)
            if random.chance(0.5) { pragmas["cache_size"] = "4" }
            if random.chance(0.5) { pragmas["wal_autocheckpoint"] = ["1", "10", "0"].randomElement(using: &random) }
        }
        (self.pragmas, self.random) = (pragmas, random)
    }

    func run() throws {
        let count = setup.isSQLite ? Int.random(in: 1...3, using: &random) : 1
        for _ in 0..<count {
            let site = try Site(setup, place.store, timeout: 1, pragmas: pragmas)
            actors.append(Actor(site, World(), 0))
            if setup.isSQLite, random.chance(0.5) { actors.append(Actor(try Site(sharing: site), World(), 0)) }
        }
        for _ in 0..<Int.random(in: 20...80, using: &random) { try step() }
        for actor in actors { try save(actor) }
        try compare("at the end")
        for actor in actors { try actor.site.close() }
        actors = []
        try compare("after all were closed")
        if let damage = Site.damage(setup, place.store) { report.finding(damage) }
        let large = setup.isSQLite ? committed.largeCount : 0
        report.findings(Site.leftovers(beside: place.store, largeData: large), "after all were closed")
        report.count("saves", saves)
    }

    private func step() throws {
        guard let actor = actors.randomElement(using: &random) else { return }
        switch Int.random(in: 0..<100, using: &random) {
        case ..<60: work(actor)
        case ..<80: try save(actor)
        case ..<88: try look(actor)
        case ..<92:
            actor.site.context.rollback()
            try look(actor)
        case ..<94: try compare("meanwhile")
        case ..<97: try refresh(actor)
        default:
            guard setup.isSQLite else { return }
            let connection = try Connection(url: place.store)
            if setup.isWAL { _ = try? connection.checkpoint(.passive) }
            try connection.close()
        }
    }

    private func work(_ actor: Actor) {
        let operation = actor.view.draw(&random, number: nextNumber)
        nextNumber += 1
        trace(actor, "\(operation)")
        actor.view.apply(operation)
        actor.pending.append(operation)
        actor.site.perform(operation)
    }

    private func trace(_ actor: Actor, _ text: @autoclosure () -> String) {
        guard options.isTraced, let number = actors.firstIndex(where: { $0 === actor }) else { return }
        print("context \(number): \(text())")
    }

    /// Discards everything and reads the present store.
    private func look(_ actor: Actor) throws {
        trace(actor, "looks")
        actor.site.context.reset()
        actor.pending = []
        try actor.site.load()
        (actor.view, actor.base, actor.moment) = (committed, committed, moment)
        let found = try actor.site.lines()
        report.findings(Line.differences(found, committed.lines), "a new look")
    }

    /// Reads the present store, and lays the changes over it.
    private func refresh(_ actor: Actor) throws {
        trace(actor, "refreshes")
        actor.site.context.refreshAllObjects()
        try actor.site.load()
        var view = committed
        view.take(from: actor.base, to: actor.view)
        (actor.view, actor.base) = (view, committed)
        if actor.pending.isEmpty { actor.moment = moment }
    }

    private func save(_ actor: Actor) throws {
        if random.chance(0.2) {
            let layer = setup.isSQLite && random.chance(0.7) ? OCD_LAYER_VFS : OCD_LAYER_FILES
            ocd_watch(place.folder.path)
            ocd_faults_arm(layer, OCD_MODE_IO, Int64.random(in: 1...40, using: &random), false)
        }
        var isRetry = false
        while true {
            do {
                try actor.site.context.save()
                trace(actor, "has saved" + (ocd_faults_fired() > 0 && !isRetry ? " in spite of a fault" : ""))
                _ = ocd_faults_disarm()
                accept(actor)
                return
            } catch {
                let code = (error as NSError).code
                trace(actor, "cannot save: \(code)\(ocd_faults_fired() > 0 && !isRetry ? ", a fault" : "")")
                let hasFailed = ocd_faults_fired() > 0 && !isRetry
                _ = ocd_faults_disarm()
                if [133020, 133021, 134050].contains(code) {
                    if actor.moment == moment { report.finding("a conflict with nobody: \(error)") }
                    report.count("conflicts")
                    try look(actor)
                    return
                }
                if isRetry, "\(error)".contains("Values could not be read") {
                    // A change met an unreadable value. The error asks for a rollback (Saving-E2).
                    report.count("saves begun again after unreadable values")
                    return try look(actor)
                }
                // Changes that do not depend on the unreadable value are written by the next attempt (Saving-E3).
                if isRetry, "\(error)".contains("save again") { continue }
                guard hasFailed else { return report.finding("a save throws: \(error)") }
                report.count("faults")
                isRetry = true
            }
        }
    }

    private func accept(_ actor: Actor) {
        guard !actor.pending.isEmpty else { return }
        saves += 1
        moment += 1
        // Not by the operations: one that changed nothing in its view writes nothing, even if others changed the value.
        committed.take(from: actor.base, to: actor.view)
        if options.isPlanted, saves == 3, let thing = committed.things.first { committed.apply(.rename(thing, "Lost")) }
        // It has seen the others' saves in part; its view is exact only without such saves.
        let isAlone = actor.moment == moment - 1
        actor.pending = []
        if isAlone {
            (actor.base, actor.moment) = (actor.view, moment)
        } else {
            (actor.view, actor.base) = (committed, committed)
            actor.site.context.reset()
            try? actor.site.load()
            actor.moment = moment
        }
    }

    private func compare(_ text: String) throws {
        let found = try Site.contents(setup, place.store, readOnly: !actors.isEmpty)
        report.findings(Line.differences(found, committed.lines), text)
    }
}
