// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Real threads over contexts, children, merges, resets, generations, and stores that are added and removed.

import CoreData
import CoreDataTestSupport
import Foundation
import Synchronization

/// A job is a kind of store; a case is one round of some seconds.
enum Threads: Harness {
    static let name = "threads"
    static let patience = 120

    static func jobs(_ options: Options) -> [String] {
        options.isPlanted ? ["wal-normal"] : ["wal-normal", "delete", "xml", "binary"]
    }

    static func work(_ job: String, _ options: Options, _ report: Report) {
        guard let setup = Setup(rawValue: job) else { return report.finding("no such job: \(job)") }
        for number in 1...options.cases(short: 3, long: 180) {
            guard number >= options.first, options.only == nil || number == options.only else { continue }
            report.begin(number, job)
            do {
                try ThreadRound(setup, options.seed &+ UInt64(number), options).run(report)
                report.count("rounds")
            } catch {
                report.finding("\(error)")
            }
        }
        report.done()
    }
}

/// The counts that threads add up.
private struct Sums {
    var increments = 0
    var insertions = 0
    var conflicts = 0
    var reads = 0
    var findings: [String] = []
}

private final class ThreadRound: Sendable {
    private static let members = 6
    private static let counters = 3
    private let setup: Setup
    private let seed: UInt64
    private let end: Date
    private let isPlanted: Bool
    private let place: Place
    private let coordinator: NSPersistentStoreCoordinator
    private let main: NSManagedObjectContext
    private let sums = Mutex(Sums())

    init(_ setup: Setup, _ seed: UInt64, _ options: Options) throws {
        (self.setup, self.seed, isPlanted) = (setup, seed, options.isPlanted)
        end = Date(timeIntervalSinceNow: options.isLong ? 20 : options.isPlanted ? 1 : 5)
        place = try Place()
        coordinator = NSPersistentStoreCoordinator(managedObjectModel: ProvingModel.shared)
        try coordinator.addPersistentStore(
            ofType: setup.type, configurationName: nil, at: place.store, options: setup.options)
        // A context that all saves are merged into, with children.
        main = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        main.persistentStoreCoordinator = coordinator
        main.automaticallyMergesChangesFromParent = true
        main.mergePolicy = NSMergePolicy.mergeByPropertyStoreTrump
    }

    func run(_ report: Report) throws {
        let first = newContext()
        try first.performAndWait {
            for number in 0..<Self.counters { Self.make("counter \(number)", in: first) }
            try first.save()
        }
        onThreads(Self.members + 2) { number in
            switch number {
            case 0: self.comeAndGo()
            case 1: self.readMain()
            default: self.work(number)
            }
        }
        var sums = sums.withLock { $0 }
        if isPlanted { sums.increments += 1 }
        for text in sums.findings.prefix(5) { report.finding(text) }
        report.count("increments", sums.increments)
        report.count("insertions", sums.insertions)
        report.count("conflicts", sums.conflicts)
        report.count("reads", sums.reads)
        main.performAndWait { main.reset() }
        for store in coordinator.persistentStores { try coordinator.remove(store) }
        let site = try Site(setup, place.store)
        defer { try? site.close() }
        let things = try site.context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Thing"))
        let codes = things.compactMap { $0.value(forKey: "code") as? String }
        let sum = things.reduce(0.0) { $0 + ($1.value(forKey: "amount") as? Double ?? 0) }
        if Int(sum) != sums.increments { report.finding("the counters have \(sum) for \(sums.increments) increments") }
        let own = codes.count { $0.hasPrefix("own") }
        if own != sums.insertions { report.finding("\(own) objects for \(sums.insertions) insertions") }
        if Set(codes).count != codes.count { report.finding("codes are there twice") }
        for thing in things where Blob.text(of: thing.value(forKey: "data") as? Data) == "torn data" {
            report.finding("torn data")
        }
    }

    private func newContext() -> NSManagedObjectContext {
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        return context
    }

    @discardableResult
    private static func make(_ code: String, in context: NSManagedObjectContext) -> NSManagedObject {
        let thing = NSEntityDescription.insertNewObject(forEntityName: "Thing", into: context)
        thing.setValue(code, forKey: "code")
        return thing
    }

    private static func find(_ code: String, in context: NSManagedObjectContext) throws -> NSManagedObject? {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Thing")
        request.predicate = NSPredicate(format: "code == %@", code)
        return try context.fetch(request).first
    }

    private func note(_ text: String) { sums.withLock { $0.findings.append(text) } }

    /// A store that was removed during the request, or since the generation was pinned: the next attempt is for the
    /// other stores only.
    private static func hasGone(_ error: any Error) -> Bool {
        let error = error as NSError
        return [134060, 134070].contains(error.code) && "\(error)".contains("Second.sqlite")
    }

    private static func patiently<T>(_ body: () throws -> T) throws -> T {
        for _ in 0..<1000 {
            do { return try body() } catch { guard hasGone(error) else { throw error } }
        }
        return try body()
    }

    // MARK: Work

    private func work(_ number: Int) {
        var random = SeededGenerator(seed: seed &* 101 &+ UInt64(number))
        var context = newContext()
        var serial = 0
        while Date() < end {
            do {
                switch Int.random(in: 0..<12, using: &random) {
                case ..<4: try increment("counter \(Int.random(in: 0..<Self.counters, using: &random))", context)
                case ..<7:
                    serial += 1
                    try insert("own \(number) \(serial)", serial, context)
                case 7: try nest(context)
                case 8: try look(context)
                case 9: context.performAndWait { context.refreshAllObjects() }
                case 10: context.performAndWait { context.reset() }
                default: context = newContext()
                }
            } catch {
                if Self.hasGone(error) { continue }
                note("\(error)")
                return
            }
        }
    }

    /// After conflicts the work is repeated: nothing may be lost.
    private func increment(_ code: String, _ context: NSManagedObjectContext) throws {
        let conflicts = try context.performAndWait {
            for attempt in 0..<100_000 {
                context.reset()
                guard let counter = try Self.patiently({ try Self.find(code, in: context) }) else {
                    throw CocoaError(.persistentStoreSave)
                }
                counter.setValue((counter.value(forKey: "amount") as? Double ?? 0) + 1, forKey: "amount")
                do {
                    try context.save()
                    return attempt
                } catch {
                    guard (error as NSError).code == 133020 || Self.hasGone(error) else { throw error }
                }
            }
            throw CocoaError(.persistentStoreSave)
        }
        sums.withLock {
            $0.increments += 1
            $0.conflicts += conflicts
        }
    }

    private func insert(_ code: String, _ serial: Int, _ context: NSManagedObjectContext) throws {
        try context.performAndWait {
            context.rollback()
            let thing = Self.make(code, in: context)
            thing.setValue(
                Blob(seed: UInt8(serial & 127) + 1, count: serial % 4 == 0 ? 110_000 : 50).data, forKey: "data")
            for _ in 0..<3 {
                NSEntityDescription.insertNewObject(forEntityName: "Piece", into: context).setValue(
                    thing, forKey: "whole")
            }
            try Self.patiently { try context.save() }
        }
        sums.withLock { $0.insertions += 1 }
    }

    /// A child of the merging context that makes a change and is released.
    private func nest(_ context: NSManagedObjectContext) throws {
        let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        child.parent = main
        try child.performAndWait {
            if let thing = try Self.find("counter 0", in: child) { thing.setValue("nested", forKey: "name") }
            try child.save()
        }
        // Its saves end in its parent.
        main.performAndWait { main.rollback() }
    }

    private func look(_ context: NSManagedObjectContext) throws {
        try context.performAndWait {
            context.reset()
            try context.setQueryGenerationFrom(NSQueryGenerationToken.current)
            let request = NSFetchRequest<NSManagedObject>(entityName: "Thing")
            request.fetchLimit = 50
            let first = try context.fetch(request).map { $0.value(forKey: "pieceCount") as? Int ?? -1 }
            context.refreshAllObjects()
            let second = try context.fetch(request).map { thing in
                _ = Blob.text(of: thing.value(forKey: "data") as? Data)
                return (thing.value(forKey: "pieces") as? NSOrderedSet)?.count ?? -1
            }
            // Without a log nothing pins a SQLite store.
            if first != second, setup.isWAL || !setup.isSQLite {
                throw CocoaError(.persistentStoreOperation, userInfo: ["pinned": "\(first) \(second)"])
            }
            try context.setQueryGenerationFrom(nil)
            context.reset()
        }
        sums.withLock { $0.reads += 1 }
    }

    /// A second store of the coordinator that is added, filled and removed.
    private func comeAndGo() {
        let url = place.folder.appending(path: "Second.sqlite")
        while Date() < end {
            do {
                let store = try coordinator.addPersistentStore(
                    ofType: NSSQLiteStoreType, configurationName: nil, at: url, options: nil)
                let context = newContext()
                try context.performAndWait {
                    let tag = NSEntityDescription.insertNewObject(forEntityName: "Tag", into: context)
                    context.assign(tag, to: store)
                    try context.save()
                    context.reset()
                }
                usleep(2000)
                try coordinator.remove(store)
            } catch {
                note("a store that comes and goes: \(error)")
                return
            }
        }
    }

    private func readMain() {
        let controller = main.performAndWait { ThreadResults(main) }
        defer { main.performAndWait { withExtendedLifetime(controller) {} } }
        while Date() < end {
            do {
                try main.performAndWait {
                    if let text = try controller.finding() {
                        throw CocoaError(.featureUnsupported, userInfo: ["results": text])
                    }
                    for thing in try main.fetch(NSFetchRequest<NSManagedObject>(entityName: "Thing")).prefix(40) {
                        _ = thing.value(forKey: "amount")
                        _ = (thing.value(forKey: "pieces") as? NSOrderedSet)?.count
                    }
                    main.rollback()
                }
            } catch {
                if Self.hasGone(error) { continue }
                note("the merging context: \(error)")
                return
            }
        }
    }
}
