// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Folders that Foundation names on Apple's systems only.

public import Foundation

extension URL {
    /// The user's folder for documents.
    public static var documentsDirectory: URL { folder(.documentDirectory) }
    /// The user's folder for data of apps.
    public static var applicationSupportDirectory: URL { folder(.applicationSupportDirectory) }
    /// The user's folder for data that can be made again.
    public static var cachesDirectory: URL { folder(.cachesDirectory) }
    /// The folder for files of short use.
    public static var temporaryDirectory: URL { FileManager.default.temporaryDirectory }

    private static func folder(_ kind: FileManager.SearchPathDirectory) -> URL {
        FileManager.default.urls(for: kind, in: .userDomainMask).first ?? FileManager.default.temporaryDirectory
    }
}
