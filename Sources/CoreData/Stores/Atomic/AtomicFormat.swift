// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The requirements on a file format of atomic stores.

import CoreDataModelFiles
import Foundation

/// Reads and writes rows in one file format. A value type: its changes during a save take effect only if
/// the save succeeds.
protocol AtomicFormat {
    static var type: String { get }

    init()

    /// The counter of object numbers for a new store.
    static func counter() -> KeyCounter

    /// The metadata of a file, including `NSStoreTypeKey` and `NSStoreUUIDKey`. Reads only as much as needed.
    static func metadata(of file: FileReading) throws -> [String: Any]

    /// Rewrites the file with other metadata, without a model.
    static func rewrite(_ file: FileReading, metadata: [String: Any], to sink: @escaping (Data) throws -> Void) throws

    /// - Throws: `AtomicDamage` for a model with objects that cannot be stored in such a file.
    func check(_ model: ModelLayout, _ entities: [NSEntityDescription]) throws

    /// All rows of a file.
    mutating func read(_ file: FileReading, _ model: ModelLayout, _ entities: [NSEntityDescription]) throws
        -> MemoryTables

    /// Writes all rows.
    ///
    /// - Returns: the format to use once the file is in place.
    func written(_ tables: MemoryTables, _ content: AtomicContent, to sink: @escaping (Data) throws -> Void) throws
        -> Self
}

/// The contents of a file apart from its rows.
struct AtomicContent {
    let model: ModelLayout
    let entities: [NSEntityDescription]
    let identifier: String
    let metadata: [String: Any]
}

/// The file contains an element that the model lacks; the reason names it.
struct AtomicForeignModel: Error {
    let reason: String
}

/// A value that the file cannot store.
struct AtomicRefusal: Error {
    let reason: String
}

/// Translates the errors of reading and writing for callers.
enum AtomicErrors {
    static func opening(_ error: any Error, _ url: URL) -> any Error {
        switch error {
        case let error as FileFailure: error.reading(url)
        case let error as ModelFileError:
            CoreDataError.cannotOpenStore(url: url, .corrupt, reason: error.description, underlying: error)
        case let error as AtomicDamage: CoreDataError.cannotOpenStore(url: url, .corrupt, reason: error.reason)
        case let error as AtomicForeignModel: CoreDataError.cannotOpenStore(url: url, .schema, reason: error.reason)
        default: error
        }
    }

    static func saving(_ error: any Error, _ url: URL, store: Any?) -> any Error {
        switch error {
        case let error as FileFailure: error.writing(url, store: store)
        case let error as AtomicRefusal: CoreDataError.storeSave(error.reason, store: store, url: url)
        case let error as ModelFileError:
            CoreDataError.storeSave(error.description, store: store, url: url, underlying: error)
        case is FileStamp.Changed:
            CoreDataError.storeSave(
                "The file is not the one that was read or written last: somebody else has changed, replaced or removed "
                    + "it. Nothing was overwritten. Remove the store and add it again to read what is there.",
                store: store, url: url)
        default: error
        }
    }
}
