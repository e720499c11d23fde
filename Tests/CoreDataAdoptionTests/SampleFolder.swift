// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A folder for one test, with files written as text.

import Foundation

final class SampleFolder {
    let url: URL

    init(_ files: [String: String] = [:]) throws {
        let name = "adoption-\(UUID().uuidString)"
        url = FileManager.default.temporaryDirectory.resolvingSymlinksInPath().appendingPathComponent(name)
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        for (path, text) in files { try write(text, to: path) }
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    func file(_ path: String) -> URL { url.appendingPathComponent(path) }

    func write(_ text: String, to path: String) throws {
        try FileManager.default.createDirectory(
            at: file(path).deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: file(path))
    }

    func text(_ path: String) throws -> String { try String(contentsOf: file(path), encoding: .utf8) }

    func exists(_ path: String) -> Bool { FileManager.default.fileExists(atPath: file(path).path) }

    /// The paths inside of the folder, for comparisons.
    func relative(_ urls: [URL]) -> [String] {
        urls.map { $0.path.hasPrefix(url.path + "/") ? String($0.path.dropFirst(url.path.count + 1)) : $0.path }
    }
}
