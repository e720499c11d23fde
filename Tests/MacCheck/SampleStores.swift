// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Writes the sample stores: on Linux for a Mac to read, on a Mac as files of Apple's framework for our tests.

import CoreData
import Foundation

/// A store with objects of each kind, one with a history, one with a derived attribute, and an XML document.
enum SampleStores {
    /// The file with the counts of each store, as `[file: [entity: count]]`; "transactions" counts those of a history.
    static let countsName = "counts.json"

    static func write(to folder: URL) throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        var counts: [String: [String: Int]] = [:]
        counts["Types.sqlite"] = try write(SampleModel.make(), NSSQLiteStoreType, folder, "Types.sqlite", fill)
        counts["Types.xml"] = try write(SampleModel.make(), NSXMLStoreType, folder, "Types.xml", fill)
        counts["Derived.sqlite"] = try write(SampleModel.makeDerived(), NSSQLiteStoreType, folder, "Derived.sqlite") {
            let shelf = insert("Shelf", ["name": "by the window"], $0)
            for title in ["Dune", "Emma", "Ulysses"] { _ = insert("Book", ["title": title, "shelf": shelf], $0) }
            try $0.save()
        }
        counts["History.sqlite"] = try write(
            SampleModel.make(), NSSQLiteStoreType, folder, "History.sqlite",
            options: [NSPersistentHistoryTrackingKey: NSNumber(value: true)]
        ) { context in
            context.transactionAuthor = "mac-check"
            try fill(context)
            let request = NSFetchRequest<NSManagedObject>(entityName: "Tour")
            for tour in try context.fetch(request) { context.delete(tour) }
            try context.save()
        }
        let data = try JSONSerialization.data(withJSONObject: counts, options: [.prettyPrinted, .sortedKeys])
        try data.write(to: folder.appendingPathComponent(countsName))
        for name in counts.keys.sorted() { print("\(name): written") }
    }

    private static func write(
        _ model: NSManagedObjectModel, _ type: String, _ folder: URL, _ name: String, options: [String: Any] = [:],
        _ fill: (NSManagedObjectContext) throws -> Void
    ) throws -> [String: Int] {
        let url = folder.appendingPathComponent(name)
        guard !FileManager.default.fileExists(atPath: url.path) else {
            throw CocoaError(.fileWriteFileExists, userInfo: [NSLocalizedDescriptionKey: "\(url.path) exists already."])
        }
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        let store = try coordinator.addPersistentStore(
            ofType: type, configurationName: nil, at: url, options: options)
        let context = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        try fill(context)
        let result = try counts(in: context, model)
        // Closing moves the contents of the log into the database.
        context.reset()
        try coordinator.remove(store)
        return result
    }

    /// The number of objects of each entity, without those of subentities, and of the transactions of a history.
    static func counts(in context: NSManagedObjectContext, _ model: NSManagedObjectModel) throws -> [String: Int] {
        var result: [String: Int] = [:]
        for entity in model.entities {
            let request = NSFetchRequest<NSManagedObject>(entityName: entity.name ?? "")
            request.includesSubentities = false
            result[entity.name ?? ""] = try context.count(for: request)
        }
        guard let store = context.persistentStoreCoordinator?.persistentStores.first,
            (store.options?[NSPersistentHistoryTrackingKey] as? NSNumber)?.boolValue == true
        else { return result }
        let history = try context.execute(NSPersistentHistoryChangeRequest.fetchHistory(after: Date.distantPast))
        result["transactions"] =
            ((history as? NSPersistentHistoryResult)?.result as? [NSPersistentHistoryTransaction])?.count ?? 0
        return result
    }

    // MARK: Objects

    private static func insert(_ entity: String, _ values: [String: Any], _ context: NSManagedObjectContext)
        -> NSManagedObject
    {
        let object = NSEntityDescription.insertNewObject(forEntityName: entity, into: context)
        for (key, value) in values { object.setValue(value, forKey: key) }
        return object
    }

    /// Saves twice, so that the versions of rows differ.
    private static func fill(_ context: NSManagedObjectContext) throws {
        let rooms = ["hall", "attic"].map { insert("Room", ["name": $0], context) }
        let keywords = ["old", "rare", "blue"].map { insert("Keyword", ["name": $0], context) }
        let exhibits = (0..<20).map { exhibit($0, context) }
        for (number, exhibit) in exhibits.enumerated() {
            exhibit.setValue(exhibits[(number + 1) % exhibits.count], forKey: "neighbour")
            if number % 3 != 0 { exhibit.setValue(NSSet(array: keywords), forKey: "keywords") }
        }
        rooms[0].setValue(NSOrderedSet(array: exhibits.reversed()), forKey: "exhibits")
        let stops = stride(from: 0, to: exhibits.count, by: 2).map { exhibits[$0] }
        _ = insert("Tour", ["name": "short", "stops": NSOrderedSet(array: stops)], context)
        try context.save()
        for exhibit in exhibits.prefix(3) { exhibit.setValue("changed", forKey: "text") }
        try context.save()
    }

    /// Each fifth exhibit has a name and no other value.
    private static func exhibit(_ number: Int, _ context: NSManagedObjectContext) -> NSManagedObject {
        let exhibit = insert(number % 4 == 0 ? "Painting" : "Exhibit", ["name": "exhibit \(number)"], context)
        if number % 5 == 4 { return exhibit }
        let values: [String: Any] = [
            "small": NSNumber(value: number), "medium": NSNumber(value: -number * 1000),
            "large": NSNumber(value: Int64(number) << 40),
            "exact": NSDecimalNumber(mantissa: UInt64(number * 125), exponent: -3, isNegative: false),
            "real": NSNumber(value: Double(number) / 3), "single": NSNumber(value: Float(number) / 2),
            "text": "text \(number) äöü 🖼", "flag": NSNumber(value: number % 2 == 0),
            "day": Date(timeIntervalSinceReferenceDate: Double(number) * 86_400.25),
            "bytes": Data(repeating: UInt8(number), count: 30), "list": ["a", "\(number)"] as NSArray,
        ]
        for (key, value) in values { exhibit.setValue(value, forKey: key) }
        let digits = String(format: "%012d", number)
        exhibit.setValue(UUID(uuidString: "158708D0-1120-4413-A8FB-\(digits)"), forKey: "uuid")
        exhibit.setValue(URL(string: "https://example.org/\(number)"), forKey: "uri")
        // Above the limit at which data moves to a file.
        if number % 3 == 0 { exhibit.setValue(Data(repeating: UInt8(number), count: 200_000), forKey: "scan") }
        if number % 4 == 0 { exhibit.setValue("painter \(number)", forKey: "painter") }
        return exhibit
    }
}
