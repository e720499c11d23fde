// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A failed system call on a file, and its translation to Cocoa errors.

import Foundation

/// A failed call and its `errno`.
struct FileFailure: Error {
    let number: Int32
    /// The name of the call, for example "write".
    let call: String

    /// Reads `errno`, so create it directly after the call.
    init(_ call: String) {
        number = errno
        self.call = call
    }

    private var underlying: NSError {
        NSError(
            domain: NSPOSIXErrorDomain, code: Int(number),
            userInfo: [NSLocalizedDescriptionKey: "\(call): \(String(cString: strerror(number)))"])
    }

    /// The error for a file that could not be read.
    func reading(_ url: URL) -> NSError {
        let (failure, reason): (CoreDataError.OpenFailure, String) =
            switch number {
            case ENOENT, ENOTDIR: (.noSuchFile, "The file, or the folder it should be in, is not there.")
            case EACCES, EPERM: (.noReadPermission, "The file may not be read.")
            case EISDIR: (.corrupt, "It is no file with contents, but a folder or the like.")
            case EIO: (.corrupt, "The file cannot be read to its end.")
            default: (.other, "The system reports: \(String(cString: strerror(number))).")
            }
        return CoreDataError.cannotOpenStore(url: url, failure, reason: reason, underlying: underlying)
    }

    /// The error for a file that could not be created or replaced. The file is unchanged.
    func writing(_ url: URL, store: Any?) -> NSError {
        switch number {
        case ENOSPC, EDQUOT, EFBIG:
            CoreDataError.cannotOpenStore(
                url: url, .outOfSpace, reason: "The disk is full; nothing of the save was kept.", underlying: underlying
            )
        case EACCES, EPERM, EROFS:
            CoreDataError.cannotOpenStore(
                url: url, .noWritePermission, reason: "The file, or the folder it is in, may not be written.",
                underlying: underlying)
        case ENOENT, ENOTDIR:
            CoreDataError.cannotOpenStore(
                url: url, .noSuchFile, reason: "The folder it should be in is not there.", underlying: underlying)
        default:
            CoreDataError.storeSave(
                "The system reports: \(String(cString: strerror(number))).", store: store, url: url,
                underlying: underlying)
        }
    }
}
