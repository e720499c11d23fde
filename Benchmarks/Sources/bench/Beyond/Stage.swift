// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Creates files, stacks and contexts for scenarios, and measures time.

import CoreData

final class Stage {
    private let folder: URL
    private var count = 0
    /// The divisor of the scenarios' sizes: 1, or 100 for a quick check.
    private let divisor: Int
    /// The number of repetitions of a timed task; the result is the median.
    let repetitions: Int

    init(in folder: URL, divisor: Int, repetitions: Int) throws {
        self.folder = folder.appending(path: "beyond-\(ProcessInfo.processInfo.processIdentifier)")
        self.divisor = divisor
        self.repetitions = repetitions
        try FileManager.default.createDirectory(at: self.folder, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    func size(_ full: Int) -> Int { max(10, full / divisor) }

    func newFile() -> URL {
        count += 1
        return folder.appending(path: "\(count).sqlite")
    }

    /// Removes a file that is no longer needed, because it is as large as all others together.
    func remove(_ file: URL) {
        for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: file.path + suffix) }
    }

    func coordinator(_ file: URL, _ model: NSManagedObjectModel = LibraryModel.shared) throws
        -> NSPersistentStoreCoordinator
    {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        _ = try coordinator.addPersistentStore(type: .sqlite, at: file)
        return coordinator
    }

    func context(_ coordinator: NSPersistentStoreCoordinator) -> NSManagedObjectContext {
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        return context
    }

    /// Creates a file with owners and their items.
    func library(owners: Int, itemsEach: Int) throws -> URL {
        let file = newFile()
        let context = context(try coordinator(file))
        for owner in 0..<owners {
            try context.performAndWait {
                let made = Owner(context: context)
                made.name = "Owner \(owner)"
                for number in 0..<itemsEach {
                    let item = Item(context: context)
                    item.number = Int64(owner * itemsEach + number)
                    item.text = "item number \(number)"
                    item.owner = made
                }
                try context.save()
                context.reset()
            }
        }
        return file
    }

    /// Measures processor time in milliseconds.
    func time(_ body: () throws -> Void) rethrows -> Double {
        let watch = Stopwatch()
        try body()
        return watch.sample.cpu
    }

    /// The ratio of the medians of two tasks with the same number of runs.
    func ratio(_ work: () throws -> Double, to other: () throws -> Double) rethrows -> Double {
        var ratios: [Double] = []
        for _ in 0..<repetitions {
            let own = try work()
            ratios.append(own / max(try other(), 0.001))
        }
        return Statistics.median(ratios) ?? .nan
    }

    func median(_ work: () throws -> Double) rethrows -> Double {
        var values: [Double] = []
        for _ in 0..<repetitions { values.append(try work()) }
        return Statistics.median(values) ?? .nan
    }
}

extension NSManagedObjectContext {
    /// All objects of a class.
    func all<T: NSManagedObject>(_ type: T.Type, limit: Int = 0) throws -> [T] {
        let request = NSFetchRequest<T>(entityName: String(describing: type))
        request.fetchLimit = limit
        return try fetch(request)
    }
}
