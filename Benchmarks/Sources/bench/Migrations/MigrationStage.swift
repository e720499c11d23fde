// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Makes the files of migrations, copies them, and migrates them.

import CoreData
import Foundation

final class MigrationStage {
    private let folder: URL
    private var count = 0

    init(in folder: URL) throws {
        self.folder = folder.appending(path: "migrations-\(ProcessInfo.processInfo.processIdentifier)")
        try FileManager.default.createDirectory(at: self.folder, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    static var options: [AnyHashable: Any] {
        [NSMigratePersistentStoresAutomaticallyOption: true, NSInferMappingModelAutomaticallyOption: true]
    }

    func newFile() -> URL {
        count += 1
        return folder.appending(path: "\(count).sqlite")
    }

    func remove(_ file: URL) {
        for suffix in ["", "-wal", "-shm", "-journal"] {
            try? FileManager.default.removeItem(atPath: file.path + suffix)
        }
    }

    /// Calls the body with a copy that is synced to the disk, and removes the copy afterwards.
    ///
    /// A copy that only the system's cache has would be written by the first sync of the measured part.
    func withCopy<T>(_ file: URL, _ body: (URL) throws -> T) throws -> T {
        let copy = newFile()
        try FileManager.default.copyItem(at: file, to: copy)
        defer { remove(copy) }
        let handle = try FileHandle(forUpdating: copy)
        try handle.synchronize()
        try handle.close()
        return try body(copy)
    }

    /// A closed store without rows.
    func empty(_ model: NSManagedObjectModel) throws -> URL {
        let file = newFile()
        try Self.open(file, model, [:])
        return file
    }

    /// Opens a store, with a migration if its version is another one, and closes it.
    static func open(_ file: URL, _ model: NSManagedObjectModel, _ options: [AnyHashable: Any]) throws {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        let store = try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: file, options: options)
        try coordinator.remove(store)
    }

    // MARK: Rows

    private static let numbers = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < "

    /// Items, a hundredth of them owners. All values are formulas of the key.
    func items(_ rows: Int) throws -> URL {
        let file = try empty(MigrationModels.items())
        let owners = max(1, rows / 100)
        try fill(
            file,
            [
                "\(Self.numbers)\(owners)) INSERT INTO ZOWNER (Z_PK, Z_ENT, Z_OPT, ZNAME) "
                    + "SELECT i, 2, 1, 'owner ' || i FROM n",
                "\(Self.numbers)\(rows)) INSERT INTO ZITEM (Z_PK, Z_ENT, Z_OPT, ZAMOUNT, ZCODE, ZFLAG, ZNAME, ZNOTE, "
                    + "ZPRICE, ZRANK, ZSTAMP, ZTEXT, ZOWNER) SELECT i, 1, 1, i * 3, i * 7919 % 1000003, i % 2, "
                    + "'item number ' || (i * 7919 % 1000003), 'a note of ' || i, i * 0.5, i % 1000, i * 60.0, "
                    + "'text ' || i, 1 + i % \(owners) FROM n",
                "UPDATE Z_PRIMARYKEY SET Z_MAX = \(max(rows, owners))",
            ])
        return file
    }

    /// Ten tables with a tenth of the rows each.
    func ten(_ rows: Int) throws -> URL {
        let file = try empty(MigrationModels.ten(addingFirst: false))
        let each = max(1, rows / 10)
        try fill(
            file,
            (0..<10).map { number in
                "\(Self.numbers)\(each)) INSERT INTO ZKIND\(number) (Z_PK, Z_ENT, Z_OPT, ZNUMBER, ZTEXT) "
                    + "SELECT i, \(number + 1), 1, i, 'text of the row ' || i FROM n"
            } + ["UPDATE Z_PRIMARYKEY SET Z_MAX = \(each)"])
        return file
    }

    private func fill(_ file: URL, _ statements: [String]) throws {
        let database = try TwinDatabase(file)
        try database.execute("BEGIN")
        for statement in statements { try database.execute(statement) }
        try database.execute("COMMIT")
        try database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    }
}
