// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Translates SQLite's errors to Cocoa errors, with the original as underlying error.

import Foundation
import SQLiteDriver

enum SQLiteStoreErrors {
    /// SQLite's error as an `NSError` in its domain, with SQLite's primary code.
    static func underlying(_ error: SQLiteError) -> NSError {
        NSError(
            domain: NSSQLiteErrorDomain, code: Int(error.code),
            userInfo: [
                NSLocalizedDescriptionKey: error.description,
                "NSSQLiteExtendedCode": NSNumber(value: error.extendedCode),
            ])
    }

    /// SQLite limits paths to 512 bytes, some of which the suffixes of companion files need.
    private static let longestPath = 500

    /// The error for a failure while a store is opened.
    static func opening(_ error: any Error, url: URL) -> any Error {
        if let limit = error as? StoreLimitReached { return limit.error(url) }
        guard let error = error as? SQLiteError else { return error }
        let underlying = underlying(error)
        var isDirectory: ObjCBool = false
        let exists = FileManager.default.fileExists(atPath: url.path, isDirectory: &isDirectory)
        if isDirectory.boolValue {
            return CoreDataError.cannotOpenStore(url: url, .corrupt, reason: "It is a folder.", underlying: underlying)
        }
        let failure: CoreDataError.OpenFailure
        let reason: String
        if error.isNotADatabase || error.isCorrupt {
            (failure, reason) = (.corrupt, "The file is damaged, or no database.")
        } else if error.isCantOpen, url.path.utf8.count > longestPath {
            (failure, reason) = (.invalidName, "SQLite takes paths of at most \(longestPath) bytes.")
        } else if error.isCantOpen, !exists {
            (failure, reason) = (.noSuchFile, "The file, or the folder it should be in, is not there.")
        } else if error.isPassingOpenFailure {
            (failure, reason) = (.other, "\(error.message): the program may have too many files open. Try again.")
        } else if error.isCantOpen {
            (failure, reason) = (.noReadPermission, "The file may not be read.")
        } else if error.isReadOnly {
            (failure, reason) = (.noWritePermission, "The file may not be written.")
        } else if error.isFull || error.lacksRoomForSharedMemory {
            (failure, reason) = (.outOfSpace, "The disk is full.")
        } else if error.isBusy {
            (failure, reason) = (.timeout, "The file is locked by others.")
        } else if error.isShortRead {
            (failure, reason) = (.corrupt, "The file cannot be read to its end.")
        } else if error.isIOError {
            (failure, reason) = (.other, "The disk failed: \(error.message).")
        } else if error.lacksModule {
            (failure, reason) = (.other, lackingModule(error))
        } else {
            (failure, reason) = (.other, "SQLite reports: \(error.message).")
        }
        return CoreDataError.cannotOpenStore(url: url, failure, reason: reason, underlying: underlying)
    }

    private static func lackingModule(_ error: SQLiteError) -> String {
        "This SQLite library was built without a part that an index of the store needs (\(error.message))."
    }

    /// The error for a failure while rows are read or written.
    static func operation(_ error: any Error, store: NSPersistentStore) -> any Error {
        if let limit = error as? StoreLimitReached { return limit.error(store.url) }
        guard let error = error as? SQLiteError else { return error }
        let underlying = underlying(error)
        if error.isFull || error.lacksRoomForSharedMemory {
            return CoreDataError.cannotOpenStore(
                url: store.url, .outOfSpace, reason: "The disk is full; nothing of the save was kept.",
                underlying: underlying)
        }
        if error.isBusy {
            return CoreDataError.cannotOpenStore(
                url: store.url, .timeout, reason: "The file is locked by others.", underlying: underlying)
        }
        if error.isReadOnly { return CoreDataError.readOnlyStore(store.url, store: store) }
        if error.isCorrupt || error.isNotADatabase {
            return CoreDataError.cannotOpenStore(
                url: store.url, .corrupt, reason: "The file is damaged.", underlying: underlying)
        }
        return CoreDataError.sqlite(
            code: Int(error.code), message: error.lacksModule ? lackingModule(error) : error.message, url: store.url,
            underlying: underlying)
    }
}
