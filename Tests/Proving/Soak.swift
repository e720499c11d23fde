// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Long runs: many objects, many coordinators; memory and descriptors stay within a bound.

import CFaults
import CoreData
import CoreDataTestSupport
import Foundation

/// A job is a kind of long life; a case is one measure in it.
enum Soak: Harness {
    static let name = "soak"
    static let patience = 600
    /// Growth from the first fifth of a life to its end, in kilobytes.
    private static let bound = 24_000

    static func jobs(_ options: Options) -> [String] {
        options.isPlanted ? ["planted"] : ["objects", "coordinators", "contexts"]
    }

    static func work(_ job: String, _ options: Options, _ report: Report) {
        report.begin(1, job)
        do {
            var kept: [Data] = []
            let rounds = 50
            var first: (Int, Int)?
            let place = try Place()
            let site = try Site(.walNormal, place.store)
            for round in 1...rounds {
                report.begin(round, job)
                switch job {
                case "objects": try objects(site, options.isLong ? 200_000 : 400, report)
                case "coordinators": try coordinators(place, options.isLong ? 2_000 : 20, report)
                case "contexts": try contexts(site, options.isLong ? 2_000 : 40, report)
                default: kept.append(Data(repeating: 1, count: 1 << 20))
                }
                let now = (residentKilobytes(), openDescriptors())
                if options.isLong {
                    report.note("round \(round): \(now.0) KB resident, \(heapText()), \(now.1) descriptors")
                }
                if round == rounds / 5 { first = now }
            }
            let last = (residentKilobytes(), openDescriptors())
            let start = first ?? last
            report.measure("kilobytes more with \(job)", max(0, last.0 - start.0))
            if last.0 > start.0 + bound { report.finding("\(start.0) KB became \(last.0) KB") }
            if last.1 > start.1 + 2 { report.finding("\(start.1) descriptors became \(last.1)") }
            try site.close()
            withExtendedLifetime(kept) {}
        } catch {
            report.finding("\(error)")
        }
        report.done()
    }

    private static func residentKilobytes() -> Int {
        let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") } ?? ""
        return line.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
    }

    /// The memory that the program has allocated, and that the allocator holds free between blocks in use.
    private static func heapText() -> String {
        var (used, free) = (0, 0)
        ocd_heap(&used, &free)
        return "\(used / 1024) KB in use, \(free / 1024) KB free in the heap"
    }

    /// Inserts, saves, reads and deletes a number of objects; the store stays small.
    private static func objects(_ site: Site, _ count: Int, _ report: Report) throws {
        var done = 0
        while done < count {
            let batch = min(1000, count - done)
            for number in 0..<batch {
                let thing = NSEntityDescription.insertNewObject(forEntityName: "Thing", into: site.context)
                thing.setValue("soak \(number)", forKey: "code")
                thing.setValue(number, forKey: "number")
            }
            try site.context.save()
            for thing in try site.context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Thing")) {
                _ = thing.value(forKey: "code")
                site.context.delete(thing)
            }
            try site.context.save()
            site.context.reset()
            done += batch
        }
        report.count("objects", count)
    }

    private static func coordinators(_ place: Place, _ count: Int, _ report: Report) throws {
        for _ in 0..<count {
            let site = try Site(.walNormal, place.folder.appending(path: "Other.sqlite"))
            _ = try site.context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Thing"))
            try site.close()
        }
        report.count("coordinators", count)
    }

    private static func contexts(_ site: Site, _ count: Int, _ report: Report) throws {
        for _ in 0..<count {
            let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
            context.persistentStoreCoordinator = site.coordinator
            try context.performAndWait {
                let tag = NSEntityDescription.insertNewObject(forEntityName: "Tag", into: context)
                tag.setValue("t", forKey: "code")
                try context.save()
                context.delete(tag)
                try context.save()
            }
        }
        report.count("contexts", count)
    }
}
