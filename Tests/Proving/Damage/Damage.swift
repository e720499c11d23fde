// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Damages the files of a store that contexts have open, and looks at what they read and save.

import CoreData
import CoreDataTestSupport
import Foundation

/// A job is a kind of store and a file of it; a case is a seed.
enum Damage: Harness {
    static let name = "damage"

    enum Target: String, CaseIterable {
        case database, log
        /// The index of the log, which connections share in memory.
        case index
        case largeData = "large"
    }

    static func jobs(_ options: Options) -> [String] {
        if options.isPlanted { return ["wal-full+database"] }
        return [Setup.walNormal, .walFull, .walSearch, .delete].flatMap { setup in
            Target.allCases.filter { setup.isWAL || $0 == .database || $0 == .largeData }
                .map { "\(setup.rawValue)+\($0.rawValue)" }
        }
    }

    static func work(_ job: String, _ options: Options, _ report: Report) {
        let parts = job.split(separator: "+").map(String.init)
        guard parts.count == 2, let setup = Setup(rawValue: parts[0]), let target = Target(rawValue: parts[1])
        else { return report.finding("no such job: \(job)") }
        for number in 1...options.cases(short: 12, long: 10_000) {
            guard number >= options.first, options.only == nil || number == options.only else { continue }
            report.begin(number, job)
            do {
                let seed = options.seed &* 1_000_003 &+ UInt64(number)
                try DamagedRun(setup, target, seed: seed, options, report).run()
                report.count("stores")
            } catch {
                report.finding("\(error)")
            }
        }
        report.done()
    }
}

/// # States
///     whole ──damage──▶ damaged, read ──mended──▶ whole ──damage──▶ damaged, saved to ──closed──▶ opened, or refused
///
/// # Invariants
/// (1) Each call on a damaged store returns or throws one of the errors in `codes`, whose text names the store.
/// (2) A context reads the damage only: once it is mended, the files hold the world again.
/// (3) Damage of large data changes no other value.
private final class DamagedRun {
    /// Errors that say that a file, a row or a value cannot be read or written.
    private static let codes: Set<Int> = [
        256, 257, 259, 260, 261, 512, 513, 640, NSManagedObjectReferentialIntegrityError, NSSQLiteError,
        NSPersistentStoreSaveError, NSPersistentStoreOperationError, NSPersistentStoreOpenError,
        NSPersistentStoreInvalidTypeError, NSCoreDataError, NSPersistentStoreTimeoutError,
        NSManagedObjectMergeError, NSManagedObjectConstraintMergeError, NSPersistentStoreSaveConflictsError,
        NSPersistentStoreIncompatibleVersionHashError, NSPersistentStoreIncompatibleSchemaError,
    ]

    private let setup: Setup
    private let target: Damage.Target
    private let options: Options
    private let report: Report
    private let place: Place
    private var random: SeededGenerator
    private var world = World()

    init(_ setup: Setup, _ target: Damage.Target, seed: UInt64, _ options: Options, _ report: Report) throws {
        (self.setup, self.target, self.options, self.report) = (setup, target, options, report)
        place = try Place()
        random = SeededGenerator(seed: seed)
    }

    func run() throws {
        // A small cache, so that pages are read from the file.
        let pragmas = ["page_size": "1024", "cache_size": "2"]
        var writer = try Site(setup, place.store, timeout: 0.2, pragmas: pragmas)
        for _ in 0..<Int.random(in: 3...8, using: &random) {
            writer.perform(world.drawSave(&random, 4...12))
            try writer.context.save()
        }
        if target == .database, setup.isWAL {
            // The pages move from the log into the file.
            try writer.close()
            writer = try Site(setup, place.store, timeout: 0.2, pragmas: pragmas)
        }
        let reader = try Site(setup, place.store, timeout: 0.2, pragmas: pragmas)
        if random.chance(0.5) { report.findings(Line.differences(try reader.lines(), world.lines), "before") }
        guard let file = try file() else { return report.count("stores without such a file") }
        file.wound(&random)
        read(reader)
        if random.chance(0.5) { read(writer) }
        if target != .index { file.mend() }
        try compareCopy()
        file.wound(&random)
        use(writer)
        use(reader)
        close(writer)
        close(reader)
        withExtendedLifetime(file) {}
        open()
    }

    private func file() throws -> OpenFileDamage? {
        let url: URL? =
            switch target {
            case .database: place.store
            case .log: URL(filePath: place.store.path + "-wal")
            case .index: URL(filePath: place.store.path + "-shm")
            case .largeData: largeFiles().randomElement(using: &random)
            }
        return try url.map(OpenFileDamage.init)
    }

    private func largeFiles() -> [URL] {
        let folder = place.folder.appending(path: ".Store_SUPPORT/_EXTERNAL_DATA")
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        return names.sorted().map { folder.appending(path: $0) }
    }

    // MARK: Reading

    /// - Parameter compares: whether the store holds the world but for the damage.
    private func read(_ site: Site, compares: Bool = true) {
        site.context.refreshAllObjects()
        var isThrown = false
        func tried(_ body: () throws -> Void) {
            do {
                try body()
            } catch {
                isThrown = true
                check(error)
            }
        }
        var found: [Int: String]?
        tried { found = try site.lines() }
        for format in ["name BEGINSWITH 'N'", "ANY tags.code != 'x'", "pieces.@count > 1", "parent.amount >= 0"] {
            let request = NSFetchRequest<NSManagedObject>(entityName: "Thing")
            request.predicate = NSPredicate(format: format)
            tried { _ = try site.context.fetch(request) }
            tried { _ = try site.context.count(for: request) }
        }
        // Values that could not be read in places that cannot throw: the next save says so (Saving-E1).
        tried { try site.context.save() }
        site.context.reset()
        report.count(isThrown ? "reads with an error" : "reads without an error")
        guard !isThrown, compares, var found else { return }
        if options.isPlanted { found[1] = nil }
        let differences = Line.differences(found, world.lines)
        if differences.isEmpty { return }
        report.count("reads of wrong values that no error told")
        if options.isTraced { differences.forEach { report.note($0) } }
        if target == .largeData || options.isPlanted { checkLargeData(found) }
    }

    private func checkLargeData(_ found: [Int: String]) {
        func withoutData(_ lines: [Int: String]) -> [Int: String] {
            lines.mapValues { $0.replacing(/data (\d+\/\d+|torn data|-)/, with: "data") }
        }
        report.findings(Line.differences(withoutData(found), withoutData(world.lines)), "beside damaged large data")
    }

    /// The files as they are on the disk, without the index in memory.
    private func compareCopy() throws {
        let copy = try place.copy()
        try? FileManager.default.removeItem(at: URL(filePath: copy.store.path + "-shm"))
        let found = try Site.contents(setup, copy.store)
        report.findings(Line.differences(found, world.lines), "after the damage was mended")
    }

    // MARK: Saving

    private func use(_ site: Site) {
        for _ in 0..<3 {
            do {
                site.context.reset()
                try site.load()
                var view = world
                site.perform(view.drawSave(&random, 2...6))
                try site.context.save()
                report.count("saves without an error")
            } catch {
                check(error)
                report.count("saves with an error")
            }
        }
    }

    private func close(_ site: Site) {
        do {
            try site.close()
        } catch {
            check(error)
        }
    }

    private func open() {
        do {
            let site = try Site(setup, place.store, timeout: 0.2)
            read(site, compares: false)
            use(site)
            close(site)
        } catch {
            check(error)
            report.count("stores that do not open")
        }
    }

    private func check(_ error: any Error) {
        let error = error as NSError
        if error.domain != NSCocoaErrorDomain || !Self.codes.contains(error.code) {
            return report.finding("an error of another kind: \(error.domain) \(error.code): \(error)")
        }
        let text = "\(error) \(error.userInfo)"
        if !text.contains("Store") && !["Thing", "Piece", "Tag", "Special"].contains(where: text.contains) {
            report.finding("an error without a place: \(text)")
        }
    }
}
