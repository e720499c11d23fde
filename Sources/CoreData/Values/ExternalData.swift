// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Data in a separate file next to the store, and the files that this process may still read.

import Foundation
import Synchronization

/// A file that a row names. While such an object exists, this process does not remove the file (LargeData-E4).
package final class ExternalData: Sendable {
    /// The name in the row: an upper-case UUID.
    package let name: String
    /// The folder of all external files of the store.
    package let folder: URL

    package init(name: String, folder: URL) {
        self.name = name
        self.folder = folder
        ReferencedFiles.add(name)
    }

    deinit { ReferencedFiles.remove(name) }

    package var url: URL { folder.appendingPathComponent(name) }

    package func read() throws(UnreadableFile) -> Data {
        do { return try Data(contentsOf: url) } catch { throw UnreadableFile(url: url, underlying: error) }
    }
}

/// A file of large data that could not be read.
package struct UnreadableFile: Error {
    package let url: URL
    /// The error of the file system.
    package let underlying: any Error

    package var isMissing: Bool { (underlying as? CocoaError)?.code == .fileReadNoSuchFile }
}

/// The file of one object's value could not be read; thrown by code that does not know the store. LargeData-E8.
package struct UnreadableValue: Error {
    package let file: UnreadableFile
    package let layout: EntityLayout
    package let slot: Int
    package let key: Int64

    func error(_ home: StoreIdentity?) -> NSError {
        CoreDataError.unreadableData(
            file.url, attribute: layout.properties[slot].qualifiedName,
            id: NSManagedObjectID(layout: layout, key: key, home: home), underlying: file.underlying)
    }
}

/// The names of the files that values of this process refer to.
package enum ReferencedFiles {
    private static let counts = Mutex<[String: Int]>([:])

    package static func add(_ name: String) { counts.withLock { $0[name, default: 0] += 1 } }

    package static func remove(_ name: String) {
        counts.withLock { counts in
            let left = (counts[name] ?? 1) - 1
            counts[name] = left == 0 ? nil : left
        }
    }

    package static func contains(_ name: String) -> Bool { counts.withLock { $0[name] != nil } }
}
