// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A store in a folder, the stack on it, and the operations of a workload on its objects.

import CoreData
import CoreDataTestSupport
import Foundation
import SQLiteDriver

/// A fresh folder, removed at the end.
final class Place: Sendable {
    let folder: URL

    init() throws {
        let parent = FileManager.default.fileExists(atPath: "/dev/shm") ? "/dev/shm" : NSTemporaryDirectory()
        folder = URL(filePath: parent).appending(path: "proving-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    var store: URL { folder.appending(path: "Store.sqlite") }

    /// A folder with copies of all files.
    func copy() throws -> Place {
        let copy = try Place()
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
            try FileManager.default.copyItem(at: folder.appending(path: name), to: copy.folder.appending(path: name))
        }
        return copy
    }
}

/// One stack: a coordinator, a context, and its objects by number.
final class Site {
    let setup: Setup
    let url: URL
    let coordinator: NSPersistentStoreCoordinator
    let context: NSManagedObjectContext
    private(set) var objects: [Int: NSManagedObject] = [:]

    /// - Parameters:
    ///   - timeout: in seconds, for locks.
    ///   - version: the version of the model that is used; an older store is migrated to the later one.
    ///   - mapping: the file of a mapping model, with which an older store is migrated by objects.
    ///   - stages: with which an older store is migrated; nil for none.
    init(
        _ setup: Setup, _ url: URL, readOnly: Bool = false, timeout: Double? = nil, pragmas: [String: String] = [:],
        version: ProvingModel.Version = .first, mapping: URL? = nil, stages: NSStagedMigrationManager? = nil
    ) throws {
        self.setup = setup
        self.url = url
        coordinator = NSPersistentStoreCoordinator(managedObjectModel: version.model)
        var options = setup.options(with: pragmas)
        if version == .later {
            options[NSMigratePersistentStoresAutomaticallyOption] = true
            options[NSInferMappingModelAutomaticallyOption] = true
            // XML and binary stores have no copy of their model.
            options[MigrationOption.versions] = [ProvingModel.shared]
            if let mapping { options[storeMappingFilesOption] = [mapping] }
            if let stages { options[NSPersistentStoreStagedMigrationManagerOptionKey] = stages }
        }
        if readOnly { options[NSReadOnlyPersistentStoreOption] = true }
        if let timeout { options[NSPersistentStoreTimeoutOption] = timeout }
        try coordinator.addPersistentStore(ofType: setup.type, configurationName: nil, at: url, options: options)
        context = NSManagedObjectContext(concurrencyType: .confined)
        context.persistentStoreCoordinator = coordinator
    }

    /// Another context on the same coordinator.
    init(sharing other: Site) throws {
        (setup, url, coordinator) = (other.setup, other.url, other.coordinator)
        context = NSManagedObjectContext(concurrencyType: .confined)
        context.persistentStoreCoordinator = coordinator
    }

    var store: NSPersistentStore { coordinator.persistentStores[0] }

    func close() throws {
        objects = [:]
        context.reset()
        for store in coordinator.persistentStores { try coordinator.remove(store) }
    }

    /// Knows the objects of the store by their numbers.
    func load() throws {
        objects = [:]
        for entity in ["Thing", "Piece", "Tag"] {
            for object in try context.fetch(NSFetchRequest<NSManagedObject>(entityName: entity)) {
                objects[Self.number(object)] = object
            }
        }
    }

    static func number(_ object: NSManagedObject) -> Int { object.value(forKey: "number") as? Int ?? -1 }

    // MARK: Work

    func perform(_ operations: [Operation]) { for operation in operations { perform(operation) } }

    func perform(_ operation: Operation) {
        switch operation {
        case .insertThing(let number, let isSpecial, let name):
            let thing = insert(isSpecial ? "Special" : "Thing", number)
            Self.name(thing, name)
            thing.setValue("c\(number)", forKey: "code")
        case .insertPiece(let number, let whole):
            insert("Piece", number).setValue(objects[whole], forKey: "whole")
        case .insertTag(let number): insert("Tag", number).setValue("t\(number)", forKey: "code")
        case .rename(let number, let name): objects[number].map { Self.name($0, name) }
        case .setAmount(let number, let amount): objects[number]?.setValue(amount, forKey: "amount")
        case .setBlob(let number, let blob): objects[number]?.setValue(blob?.data, forKey: "data")
        case .setParent(let number, let parent):
            objects[number]?.setValue(parent.flatMap { objects[$0] }, forKey: "parent")
        case .setPieces(let number, let pieces):
            objects[number]?.setValue(NSOrderedSet(array: pieces.compactMap { objects[$0] }), forKey: "pieces")
        case .setTags(let number, let tags):
            objects[number]?.setValue(NSSet(array: tags.compactMap { objects[$0] }), forKey: "tags")
        case .swapCodes(let one, let other, let codes):
            // Written without reading the present codes, which may be unreadable at the moment.
            objects[one]?.setValue(codes[0], forKey: "code")
            objects[other]?.setValue(codes[1], forKey: "code")
        case .delete(let number):
            if let object = objects.removeValue(forKey: number) { context.delete(object) }
        }
    }

    /// Sets the name of a thing, and the same name in its dictionary.
    static func name(_ thing: NSManagedObject, _ name: String) {
        thing.setValue(name, forKey: "name")
        thing.setValue(["name": name], forKey: "meta")
    }

    private func insert(_ entity: String, _ number: Int) -> NSManagedObject {
        let object = NSEntityDescription.insertNewObject(forEntityName: entity, into: context)
        object.setValue(number, forKey: "number")
        objects[number] = object
        return object
    }

    /// Pieces without a whole, by a batch request.
    func insertPieces(_ numbers: ClosedRange<Int>) throws {
        let request = NSBatchInsertRequest(entityName: "Piece", objects: numbers.map { ["number": $0] })
        _ = try context.execute(request)
    }

    // MARK: Contents

    /// One line for each object of the store, by its number. An object without a readable number has a negative one.
    func lines() throws -> [Int: String] {
        var lines: [Int: String] = [:]
        for entity in ["Thing", "Piece", "Tag"] {
            let request = NSFetchRequest<NSManagedObject>(entityName: entity)
            request.returnsObjectsAsFaults = false
            request.shouldRefreshRefetchedObjects = true  // derived values: Stores-D3
            for object in try context.fetch(request) {
                let number = Self.number(object)
                let key = number <= 0 || lines[number] != nil ? -lines.count - 1 : number
                lines[key] = Self.line(object, entity)
            }
        }
        return lines
    }

    private static func line(_ object: NSManagedObject, _ entity: String) -> String {
        func one(_ key: String) -> Int? { (object.value(forKey: key) as? NSManagedObject).map(number) }
        func text(_ key: String) -> String { object.value(forKey: key) as? String ?? "-" }
        switch entity {
        case "Piece": return Line.piece(whole: one("whole"))
        case "Tag": return Line.tag(code: text("code"))
        default:
            let pieces = (object.value(forKey: "pieces") as? NSOrderedSet)?.array as? [NSManagedObject] ?? []
            let tags = object.value(forKey: "tags") as? Set<NSManagedObject> ?? []
            let inside = (object.value(forKey: "meta") as? [String: Any])?["name"] as? String
            let name = inside == text("name") ? text("name") : "\(text("name")) with \(inside ?? "no name") inside"
            return Line.thing(
                kind: object.entity.name ?? "-", name: name, folded: text("folded"),
                amount: object.value(forKey: "amount") as? Double, code: text("code"),
                blob: Blob.text(of: object.value(forKey: "data") as? Data), parent: one("parent"),
                pieces: pieces.map(number), count: object.value(forKey: "pieceCount") as? Int ?? -1,
                tags: tags.map(number).sorted())
        }
    }

    /// The contents of a store, read by a new stack.
    static func contents(
        _ setup: Setup, _ url: URL, readOnly: Bool = false, version: ProvingModel.Version = .first,
        mapping: URL? = nil
    ) throws -> [Int: String] {
        let site = try Site(setup, url, readOnly: readOnly, version: version, mapping: mapping)
        defer { try? site.close() }
        return try site.lines()
    }

    /// The contents of a store that a migration may have reached, with its version. Nothing is migrated.
    static func migratedContents(
        _ setup: Setup, _ url: URL
    ) throws -> (version: ProvingModel.Version, lines: [Int: String]) {
        for version in ProvingModel.Version.allCases {
            do {
                return (version, try contents(setup, url, readOnly: true, version: version))
            } catch
                where (error as NSError).code == NSPersistentStoreIncompatibleVersionHashError
                && version != .later
            {
                continue
            }
        }
        throw CocoaError(.persistentStoreIncompatibleVersionHash)
    }

    // MARK: Files

    /// The result of SQLite's own check, if it is not "ok", or the differences between an index and its rows.
    static func damage(_ setup: Setup, _ url: URL) -> String? {
        guard setup.isSQLite else { return nil }
        do {
            let connection = try Connection(url: url)
            defer { try? connection.close() }
            let answer = try connection.value("PRAGMA integrity_check")?.textValue
            if answer != "ok" { return "integrity_check: \(answer ?? "nothing")" }
            return setup.isSearched ? try searchDamage(connection) ?? valueDamage(connection) : nil
        } catch {
            return "integrity_check: \(error)"
        }
    }

    private static func searchDamage(_ connection: Connection) throws -> String? {
        let indexes = try StoreTables.searchIndexes(connection)
        guard indexes.count == 1, indexes[0].isKept else {
            return "the full-text indexes that are kept: \(indexes.filter(\.isKept).map(\.name))"
        }
        let (rows, isEqual) = try indexes[0].differences(connection)
        return rows == 0 && isEqual
            ? nil
            : "\(rows) rows of the full-text index differ, and its tokens are \(isEqual ? "" : "not ")those of the rows"
    }

    private static func valueDamage(_ connection: Connection) throws -> String? {
        let indexes = try StoreTables.valueIndexes(connection, model: ProvingModel.shared)
        guard indexes.count == 1, indexes[0].isKept else {
            return "the indexes of values that are kept: \(indexes.filter(\.isKept).map(\.name))"
        }
        let rows = try indexes[0].differences(connection)
        return rows == 0 ? nil : "\(rows) rows of the index of values differ"
    }

    /// Files that a closed store should not have left, and files of large data beyond the number of values.
    ///
    /// - Parameter largeData: the number of values; nil if files without a row may remain.
    static func leftovers(beside url: URL, largeData: Int?, also names: Set<String> = []) -> [String] {
        let folder = url.deletingLastPathComponent()
        let support = folder.appending(path: ".\(url.deletingPathExtension().lastPathComponent)_SUPPORT")
        let manager = FileManager.default
        var findings: [String] = []
        for name in (try? manager.contentsOfDirectory(atPath: folder.path)) ?? []
        where name != url.lastPathComponent && name != support.lastPathComponent && !names.contains(name) {
            // The journal mode PERSIST keeps the file of its journal.
            if name.hasSuffix("-journal") { continue }
            findings.append("left over: \(name)")
        }
        for name in (try? manager.contentsOfDirectory(atPath: support.path)) ?? [] where name != "_EXTERNAL_DATA" {
            findings.append("left over: \(name) in the folder of large data")
        }
        let files = (try? manager.contentsOfDirectory(atPath: support.appending(path: "_EXTERNAL_DATA").path)) ?? []
        if let largeData, files.count != largeData {
            findings.append("\(files.count) files for \(largeData) large values")
        }
        return findings
    }
}

/// The number of open descriptors of this process, but for those of the threads of Dispatch, which makes them when it
/// first needs them, and keeps them.
func openDescriptors() -> Int {
    let folder = "/proc/self/fd"
    let ofDispatch = ["eventfd", "eventpoll", "timerfd"].map { "anon_inode:[\($0)]" }
    return ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).count { name in
        // The descriptor of the listing itself is closed by now.
        guard let file = try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\(name)") else {
            return false
        }
        return !ofDispatch.contains(file)
    }
}
