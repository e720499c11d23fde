// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The places in which the stores of tests are.

public import CoreData
import Foundation

/// The place of a test's store. Each container has another place, so tests may run at the same time.
public enum TestPlace: Sendable, Hashable {
    /// A SQLite database in memory.
    case memory
    /// A file in a temporary folder, of a type such as `NSXMLStoreType`.
    case temporaryFile(type: String)
    /// A new schema in a database on a server. The type is that of the product `CoreDataPostgreSQL`, which the test
    /// imports and registers:
    ///
    /// ```swift
    /// PostgreSQLStore.register()
    /// let place = TestPlace.server(url, type: NSPostgreSQLStoreType)
    /// ```
    case server(URL, type: String)

    /// A SQLite file in a temporary folder.
    public static let file = TestPlace.temporaryFile(type: NSSQLiteStoreType)

    /// The type of the stores in this place.
    public var type: String {
        switch self {
        case .memory: NSSQLiteStoreType
        case .temporaryFile(let type), .server(_, let type): type
        }
    }
}

/// The place of one container: its folder or its schema.
struct OwnPlace: Sendable {
    /// nil for a store without files.
    let folder: URL?
    let url: URL
    let type: String
    let isOnServer: Bool

    init(_ place: TestPlace) throws {
        type = place.type
        let name = UUID().uuidString
        switch place {
        case .memory: (folder, url, isOnServer) = (nil, URL(fileURLWithPath: "/dev/null"), false)
        case .temporaryFile:
            let folder = FileManager.default.temporaryDirectory.appending(path: "CoreDataTesting-\(name)")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            (self.folder, url, isOnServer) = (folder, folder.appending(path: "Store.sqlite"), false)
        case .server(let server, _):
            (folder, url, isOnServer) = (nil, try Self.schema(name, on: server), true)
        }
    }

    /// The URL of a database with a schema of this name; a schema in the given URL is replaced.
    private static func schema(_ name: String, on server: URL) throws -> URL {
        guard var parts = URLComponents(url: server, resolvingAgainstBaseURL: false) else {
            throw TestingError.unusablePlace("'\(server.absoluteString)' is no URL of a database.")
        }
        let schema = "test_" + name.lowercased().replacing("-", with: "_")
        let others = (parts.queryItems ?? []).filter { $0.name != "schema" }
        parts.queryItems = others + [URLQueryItem(name: "schema", value: schema)]
        guard let url = parts.url else {
            throw TestingError.unusablePlace("'\(server.absoluteString)' is no URL of a database.")
        }
        return url
    }
}
