// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Kills migrations between writes, and lets writes fail: the old store or the new one exists, whole.

import CoreDataTestSupport
import Foundation
import SQLiteDriver
import Synchronization
import Testing

@testable import CoreData

/// `OCD_MIGRATION_STEP=50` tries every fiftieth write of every scenario, and each statement of the twelve scripts;
/// unset, some writes of three, and some statements of one.
@Suite("Migrations that break off", .serialized) struct BrokenOffMigrationTests {
    private static let wanted = ProcessInfo.processInfo.environment["OCD_MIGRATION_STEP"].flatMap(Int.init)
    static let scenarios = wanted == nil ? MigrationScenario.short : MigrationScenario.allCases
    static let scripts = wanted == nil ? [.everything] : MigrationScenario.byStatements
    static let errors = wanted == nil ? [EIO] : [EIO, ENOSPC]

    private static func step(_ calls: Int) -> Int { min(wanted ?? calls, calls / 3) }

    /// Copies of a store's folder.
    private final class Moments: Sendable {
        let urls = Mutex<[URL]>([])
    }

    /// The store, and its contents before and after.
    private struct Scene {
        let scenario: MigrationScenario
        let store: MigratingStore
        let before: [String]
        let after: [String]
        /// The contents of each quarantine.
        let left: [[String]]
        /// The calls of SQLite that change a file.
        let calls: Int

        init(_ scenario: MigrationScenario) throws {
            self.scenario = scenario
            store = try scenario.store()
            before = try store.account(scenario.old)
            let copy = try store.copied()
            calls = try FileCallHook.during(copy.folder, .count) { try Self.migrate(copy, scenario) }
            after = try copy.account(scenario.new)
            left = try copy.quarantines(scenario.old)
            #expect(left.count == (scenario.quarantines ? 1 : 0))
        }

        static func migrate(_ store: MigratingStore, _ scenario: MigrationScenario) throws {
            try store.close(try store.open(scenario.new, options: scenario.options))
        }

        /// The faults of a folder after an interrupted migration; empty for none.
        func faults(_ left: MigratingStore) throws -> [String] {
            var faults: [String] = []
            do {
                if try left.account(scenario.old) != before { faults.append("the old store has changed") }
                faults += try left.differences(from: scenario.old)
                if try !left.quarantines(scenario.old).isEmpty { faults.append("rows are there twice") }
            } catch let error as NSError where error.code == NSPersistentStoreIncompatibleVersionHashError {
                if try left.account(scenario.new) != after { faults.append("the new store is not whole") }
                faults += try left.differences(from: scenario.new)
                if try left.quarantines(scenario.old) != self.left { faults.append("rows of the quarantine are lost") }
            }
            // A next attempt works, and leaves no file next to the store.
            try Self.migrate(left, scenario)
            if try left.account(scenario.new) != after { faults.append("the next migration gives something else") }
            if try left.quarantines(scenario.old) != self.left { faults.append("the quarantine is another one") }
            let names = try FileManager.default.contentsOfDirectory(atPath: left.folder.path)
            return faults
                + names.filter { name in
                    name.hasPrefix(".") && [".half", ".quarantine-lock"].contains { name.contains($0) }
                        || name.hasSuffix(".quarantine")
                }.map { "\($0) is left" }
        }
    }

    /// Proves: G65, G66, G67, G70
    @Test("killed at any write, the store is the old one or the new one", arguments: scenarios)
    func killed(scenario: MigrationScenario) throws {
        let scene = try Scene(scenario)
        let (victim, step) = (try scene.store.copied(), Self.step(scene.calls))
        let moments = Moments()
        let (folder, name) = (victim.folder, victim.url.lastPathComponent)
        _ = try FileCallHook.during(
            folder,
            .look(every: step) {
                let place = FileManager.default.temporaryDirectory.appending(path: "Migration-\(UUID().uuidString)")
                try? FileManager.default.copyItem(at: folder, to: place)
                moments.urls.withLock { $0.append(place.appending(path: name)) }
            }
        ) { try Scene.migrate(victim, scenario) }
        let left = moments.urls.withLock { $0 }.map { MigratingStore(at: $0) }
        // Runs differ by some writes: names are random, and another attempt at a lock writes as well.
        #expect(2 * left.count * step >= scene.calls && !left.isEmpty, "\(left.count) of \(scene.calls) / \(step)")
        for (number, moment) in left.enumerated() {
            let faults = try scene.faults(moment)
            #expect(faults == [], "killed before call \((number + 1) * step)")
        }
    }

    /// Proves: G65, G66, G67, G70, G71
    @Test(
        "after a failing write, or one without room, the store is the old one or the new one", arguments: scenarios,
        errors)
    func failing(scenario: MigrationScenario, error: Int32) throws {
        let scene = try Scene(scenario)
        var failures = 0
        for number in stride(from: 1, through: scene.calls, by: Self.step(scene.calls)) {
            let victim = try scene.store.copied()
            _ = FileCallHook.during(victim.folder, .fail(number, errno: error)) {
                do { try Scene.migrate(victim, scenario) } catch { failures += 1 }
            }
            let faults = try scene.faults(victim)
            #expect(faults == [], "call \(number) failed")
        }
        #expect(failures > 0)
    }

    // MARK: Statements

    /// The migration of a scenario by statements, as opening does it.
    private func migration(_ store: MigratingStore, _ scenario: MigrationScenario) throws -> SQLiteMigration {
        let (old, new) = (scenario.old, scenario.new)
        return SQLiteMigration(
            url: store.url, options: try SQLiteStoreOptions([NSPersistentStoreTimeoutOption: 1]), source: old,
            sourceLayout: ModelLayout(entities: old.entities),
            target: MigrationTarget(layout: try new.compiledLayout(), entities: new.entities),
            rebuilds: scenario == .rebuilt)
    }

    /// All statements of each of the twelve scripts, or some of one of them. A cache of eight pages, which is emptied
    /// before the statement, makes SQLite read and write while it runs.
    ///
    /// Proves: G65, G66, G71
    @Test(
        "after an error of the disk from any statement on, the store is the old one or the new one",
        arguments: scripts, [FileCallHook.Call.read, .write])
    func failingStatement(scenario: MigrationScenario, call: FileCallHook.Call) throws {
        let scene = try Scene(scenario)
        let count = try migration(scene.store, scenario).survey().statements.count
        var failures = 0
        for number in stride(from: 0, through: count, by: Self.wanted == nil ? max(1, count / 4) : 1) {
            let victim = try scene.store.copied()
            var migration = try migration(victim, scenario)
            migration.beforeStatement = { running, connection in
                try connection.setPragma("cache_size", to: 8)
                guard running == number else { return }
                try connection.execute("PRAGMA shrink_memory")
                FileCallHook.arm()
            }
            // SQLite 3.40 reacts to a failed read with EIO in `DROP INDEX` with changes that its journal lacks.
            let error = scenario == .everything && call == .read ? ETIMEDOUT : EIO
            _ = FileCallHook.during(victim.folder, .failArmed(call, errno: error)) {
                do { _ = try migration.run { _, _ in } } catch { failures += 1 }
            }
            let faults = try scene.faults(victim)
            #expect(faults == [], "a \(call) failed, statement \(number) of \(count)")
        }
        #expect(failures > 0)
    }

    /// Proves: G65, G66
    @Test("killed before any statement, the store is the old one", arguments: scripts)
    func killedAtStatement(scenario: MigrationScenario) throws {
        let scene = try Scene(scenario)
        let victim = try scene.store.copied()
        let count = try migration(victim, scenario).survey().statements.count
        var migration = try migration(victim, scenario)
        var left: [MigratingStore] = []
        migration.beforeStatement = { _, connection in
            try connection.setPragma("cache_size", to: 8)
            left.append(try victim.copied())
        }
        _ = try migration.run { _, _ in }
        #expect(left.count == count + 1)
        for (number, moment) in left.enumerated() where Self.wanted != nil || number % 4 == 0 {
            let faults = try scene.faults(moment)
            #expect(faults == [], "killed before statement \(number) of \(count)")
        }
    }
}
