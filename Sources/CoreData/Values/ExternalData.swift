// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Data in a file of its own beside the store, and the files that this process may still read.

import Foundation
import Synchronization

/// The file that a row named when it was read. While there is such an object, nobody in this process removes the file
/// (LargeData-E4).
final class ExternalData: Sendable {
    /// The name in the row: an upper-case UUID.
    let name: String
    /// That of all files of the store.
    let folder: URL

    init(name: String, folder: URL) {
        self.name = name
        self.folder = folder
        HeldFiles.add(name)
    }

    deinit { HeldFiles.remove(name) }

    var url: URL { folder.appendingPathComponent(name) }

    func read() throws(UnreadableFile) -> Data {
        do { return try Data(contentsOf: url) } catch { throw UnreadableFile(url: url, underlying: error) }
    }
}

/// A file of large data that could not be read.
struct UnreadableFile: Error {
    let url: URL
    /// The error of the file system.
    let underlying: any Error

    var isMissing: Bool { (underlying as? CocoaError)?.code == .fileReadNoSuchFile }
}

/// A value of one object whose file could not be read, in a room that does not know the store. LargeData-E8.
struct UnreadableValue: Error {
    let file: UnreadableFile
    let layout: EntityLayout
    let slot: Int
    let key: Int64

    func error(_ home: StoreIdentity?) -> NSError {
        CoreDataError.unreadableData(
            file.url, attribute: layout.properties[slot].qualifiedName,
            id: NSManagedObjectID(layout: layout, key: key, home: home), underlying: file.underlying)
    }
}

/// The names of the files that values of this process lead to.
enum HeldFiles {
    private static let counts = Mutex<[String: Int]>([:])

    static func add(_ name: String) { counts.withLock { $0[name, default: 0] += 1 } }

    static func remove(_ name: String) {
        counts.withLock { counts in
            let left = (counts[name] ?? 1) - 1
            counts[name] = left == 0 ? nil : left
        }
    }

    static func contains(_ name: String) -> Bool { counts.withLock { $0[name] != nil } }
}
