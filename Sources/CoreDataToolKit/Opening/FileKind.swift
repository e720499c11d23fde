// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Distinguishes stores from models by the start of the file, and servers by their URLs.

import CoreData
import CoreDataPostgreSQL
package import Foundation
import SQLiteDriver

/// The kind of a location: that of a file by its first bytes.
package enum FileKind: Sendable, Equatable {
    case sqlite
    case xmlStore
    case binaryStore
    case model
    /// A schema of a PostgreSQL database.
    case server

    /// - Throws: `ToolError` if nothing can be read.
    package init(of url: URL) throws {
        if url.isServer {
            self = .server
            return
        }
        var isDirectory: ObjCBool = false
        guard FileManager.default.fileExists(atPath: url.path, isDirectory: &isDirectory) else {
            throw ToolError("There is no file \(url.path).")
        }
        guard !isDirectory.boolValue else {
            self = .model
            return
        }
        // Opening a pipe would wait for a writer.
        let type = try? FileManager.default.attributesOfItem(atPath: url.resolvingSymlinksInPath().path)[.type]
        guard type as? FileAttributeType == .typeRegular else {
            throw ToolError("\(url.path) is no file but a pipe, a socket or a device.")
        }
        // Studio-E8: this process may have the file open as a database.
        guard let start = try? DatabaseBytes(path: url.path).read(at: 0, count: 512) else {
            throw ToolError("\(url.path) cannot be read.")
        }
        guard !start.isEmpty else { throw ToolError("\(url.path) is empty.") }
        let bytes = [UInt8](start)
        if start.starts(with: Data("SQLite format 3\0".utf8)) {
            self = .sqlite
        } else if BinaryOutline.begins(bytes) {
            self = .binaryStore
        } else if String(decoding: start, as: UTF8.self).contains("<!DOCTYPE database") {
            self = .xmlStore
        } else {
            self = .model
        }
    }

    /// nil for a model.
    package var storeType: String? {
        switch self {
        case .sqlite: NSSQLiteStoreType
        case .xmlStore: NSXMLStoreType
        case .binaryStore: NSBinaryStoreType
        case .server: NSPostgreSQLStoreType
        case .model: nil
        }
    }
}

extension URL {
    /// The location that a user names: a file, or a server's URL.
    package init(place text: String) {
        let isServer = text.hasPrefix("postgresql://") || text.hasPrefix("postgres://")
        self = isServer ? URL(string: text) ?? URL(fileURLWithPath: text) : URL(fileURLWithPath: text)
    }

    var isServer: Bool { ["postgresql", "postgres"].contains(scheme ?? "") }

    /// The location as users see it: the path of a file, or the URL of a server without its password.
    package var shownPlace: String { isServer ? PostgreSQLStore.shown(self).absoluteString : path }
    /// The place, or of a file only its name.
    var shownName: String { isServer ? shownPlace : lastPathComponent }
}
