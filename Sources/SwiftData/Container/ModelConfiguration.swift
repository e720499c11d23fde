// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The location of a store, and its options.

public import Foundation

/// The configuration of a file, or of a store in memory.
///
///     let forTests = ModelConfiguration(isStoredInMemoryOnly: true)
///     let file = ModelConfiguration(url: URL(filePath: "/srv/library.store"))
///     let container = try ModelContainer(for: Book.self, configurations: file)
public struct ModelConfiguration: Identifiable, Hashable, CustomDebugStringConvertible, DataStoreConfiguration, Sendable
{
    /// The built-in store.
    public typealias Store = DefaultStore
    /// The name; "default" unless the initializer sets one.
    public let name: String
    /// The location of the store's file.
    public let url: URL
    /// Whether nothing is written to any file.
    public let isStoredInMemoryOnly: Bool
    /// Whether `save()` is allowed.
    public let allowsSave: Bool
    /// The entities of the store; nil for all of the container's.
    public var schema: Schema?
    /// The requested folder.
    public let groupContainer: GroupContainer
    /// The requested database; it has no effect here.
    public let cloudKitDatabase: CloudKitDatabase
    /// The name of the group's folder; nil for none.
    public var groupAppContainerIdentifier: String? { groupContainer.groupName }
    /// The name in `.private(_:)`; nil for other databases.
    public let cloudKitContainerIdentifier: String?

    /// A store in the application support folder, or in memory.
    ///
    /// - Parameters:
    ///   - name: the file's name, without `.store`; nil for `default`.
    ///   - schema: the entities of the store; nil for all of the container's.
    ///   - isStoredInMemoryOnly: whether nothing is written.
    ///   - allowsSave: false opens the file without ever writing to it.
    ///   - groupContainer: a folder of a name next to the default one.
    ///   - cloudKitDatabase: `.automatic` and `.none` do nothing; others make the container throw.
    public init(
        _ name: String? = nil, schema: Schema? = nil, isStoredInMemoryOnly: Bool = false, allowsSave: Bool = true,
        groupContainer: GroupContainer = .automatic, cloudKitDatabase: CloudKitDatabase = .automatic
    ) {
        self.name = name ?? "default"
        self.schema = schema
        self.isStoredInMemoryOnly = isStoredInMemoryOnly
        self.allowsSave = allowsSave
        self.groupContainer = groupContainer
        self.cloudKitDatabase = cloudKitDatabase
        cloudKitContainerIdentifier = cloudKitDatabase.privateName
        url =
            isStoredInMemoryOnly
            ? URL(filePath: "/dev/null")
            : groupContainer.folder.appending(path: "\(name ?? "default").store", directoryHint: .notDirectory)
    }

    /// A store in a file.
    public init(
        _ name: String? = nil, schema: Schema? = nil, url: URL, allowsSave: Bool = true,
        cloudKitDatabase: CloudKitDatabase = .automatic
    ) {
        self.name = name ?? url.deletingPathExtension().lastPathComponent
        self.schema = schema
        self.url = url
        isStoredInMemoryOnly = url.path == "/dev/null"
        self.allowsSave = allowsSave
        groupContainer = .none
        self.cloudKitDatabase = cloudKitDatabase
        cloudKitContainerIdentifier = cloudKitDatabase.privateName
    }

    /// The default store, or one in memory.
    public init(isStoredInMemoryOnly: Bool) {
        self.init(nil, schema: nil, isStoredInMemoryOnly: isStoredInMemoryOnly)
    }

    /// A store for a part of the container's classes.
    @_disfavoredOverload
    public init(for types: any PersistentModel.Type..., isStoredInMemoryOnly: Bool = false) {
        self.init(
            nil, schema: types.isEmpty ? nil : Schema(types), isStoredInMemoryOnly: isStoredInMemoryOnly)
    }

    /// The name.
    public var id: String { name }

    /// The name and the location.
    public var debugDescription: String {
        "ModelConfiguration(\(name), \(isStoredInMemoryOnly ? "in memory" : url.path))"
    }

    /// Checks the file's name.
    ///
    /// - Throws: `configurationFileNameContainsInvalidCharacters`, `configurationFileNameTooLong`.
    public func validate() throws {
        if isStoredInMemoryOnly { return }
        if name.contains("/") || name.contains("\0") {
            throw ModelError(
                .configurationFileNameContainsInvalidCharacters, "a file cannot have the name '\(name)'")
        }
        if url.lastPathComponent.utf8.count > 255 - "-wal".utf8.count {
            throw ModelError(
                .configurationFileNameTooLong, "the file name '\(url.lastPathComponent.prefix(40))…' is too long")
        }
    }

    /// The CloudKit database of a store. Accepted for source compatibility; this library does not sync with CloudKit.
    public struct CloudKitDatabase: Hashable, Sendable {
        let privateName: String?
        let word: String

        /// No database, in this library.
        public static var automatic: Self { Self(privateName: nil, word: "automatic") }
        /// No database.
        public static var none: Self { Self(privateName: nil, word: "none") }
        /// Not supported: the container throws.
        public static func `private`(_ privateDBName: String) -> Self {
            Self(privateName: privateDBName, word: "private")
        }
    }

    /// The folder of a group of apps.
    public struct GroupContainer: Hashable, Sendable {
        let groupName: String?
        let word: String

        /// The application support folder, in this library.
        public static var automatic: Self { Self(groupName: nil, word: "automatic") }
        /// The application support folder.
        public static var none: Self { Self(groupName: nil, word: "none") }
        /// A folder of that name next to the default one.
        public static func identifier(_ groupName: String) -> Self { Self(groupName: groupName, word: "identifier") }

        var folder: URL {
            let manager = FileManager.default
            let base =
                manager.urls(for: .applicationSupportDirectory, in: .userDomainMask).first ?? manager.temporaryDirectory
            guard let groupName else { return base }
            return base.deletingLastPathComponent().appending(path: groupName, directoryHint: .isDirectory)
        }
    }
}
