// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Groups source files by their module.

import Foundation

/// Finds the folder of a file's module by its location in the package, without reading the manifest.
struct SourceModules {
    /// Folders that contain a folder for each module, or the files of one module.
    private static let parents: Set<String> = ["Sources", "Source", "src", "srcs", "Tests"]
    private let folders: Set<[String]>

    init(_ urls: [URL]) {
        folders = Set(urls.map { $0.standardizedFileURL.deletingLastPathComponent().pathComponents })
    }

    /// Outside of a package it is the folder that all files have in common.
    func folder(of file: URL) -> URL {
        let parts = file.standardizedFileURL.deletingLastPathComponent().pathComponents
        guard let package = parts.indices.last(where: { Self.hasManifest(parts[...$0]) }) else {
            return Self.url(commonFolder[...])
        }
        var end = min(package + 1, parts.count - 1)
        if end + 1 < parts.count, Self.parents.contains(parts[end]), !folders.contains(Array(parts[...end])) {
            end += 1
        }
        return Self.url(parts[...end])
    }

    private var commonFolder: [String] {
        let first = folders.first ?? ["/"]
        return folders.reduce(first) { common, folder in zip(common, folder).prefix { $0 == $1 }.map(\.0) }
    }

    private static func hasManifest(_ parts: ArraySlice<String>) -> Bool {
        FileManager.default.fileExists(atPath: url(parts).appendingPathComponent("Package.swift").path)
    }

    private static func url(_ parts: ArraySlice<String>) -> URL {
        parts.dropFirst().reduce(URL(fileURLWithPath: "/")) { $0.appendingPathComponent($1) }
    }
}
