// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// What a kind of file must be able to do so that an atomic store can be kept in it.

import CoreDataModelFiles
import Foundation

/// How rows stand in a file: a value, so that what a save changes of it counts once the save is true.
protocol AtomicFormat {
    static var type: String { get }

    init()

    /// What a new store counts its objects with.
    static func counter() -> KeyCounter

    /// What the file says of itself, `NSStoreTypeKey` and `NSStoreUUIDKey` included. Reads no more than it needs.
    static func metadata(of file: FileReading) throws -> [String: Any]

    /// Writes the file anew with other metadata; no model is needed.
    static func rewrite(_ file: FileReading, metadata: [String: Any], to sink: @escaping (Data) throws -> Void) throws

    /// - Throws: `AtomicDamage` for a model whose objects cannot be kept in such a file.
    func check(_ model: ModelLayout, _ entities: [NSEntityDescription]) throws

    /// All rows of a file.
    mutating func read(_ file: FileReading, _ model: ModelLayout, _ entities: [NSEntityDescription]) throws
        -> MemoryTables

    /// Writes all rows.
    ///
    /// - Returns: the format as it is once the file is there.
    func written(_ tables: MemoryTables, _ content: AtomicContent, to sink: @escaping (Data) throws -> Void) throws
        -> Self
}

/// What stands in a file beside rows.
struct AtomicContent {
    let model: ModelLayout
    let entities: [NSEntityDescription]
    let identifier: String
    let metadata: [String: Any]
}

/// The file holds something that the model lacks; the reason names it.
struct AtomicForeignModel: Error {
    let reason: String
}

/// A value that the file cannot hold.
struct AtomicRefusal: Error {
    let reason: String
}

/// The errors of rooms below as callers see them.
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
