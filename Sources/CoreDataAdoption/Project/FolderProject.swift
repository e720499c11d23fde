// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Makes targets of a folder without a project.

import Foundation

/// All files of the folder are one target, named after the folder. Files that import XCTest or Testing, and the files
/// of folders with names that end with "Tests", are its tests.
enum FolderProject {
    /// - Throws: `ProjectError` if the folder has no Swift file.
    static func read(_ folder: URL) throws -> AppProject {
        var project = AppProject(name: folder.lastPathComponent, folder: folder)
        var target = AppTarget(folder.lastPathComponent, .library)
        var tests = AppTarget("\(folder.lastPathComponent)Tests", .unitTests)
        for file in PathLookup.files(in: folder) {
            if isTest(file, folder) { tests.add(file) } else { target.add(file) }
        }
        guard !target.sources.isEmpty else { throw ProjectError(folder.path, "The folder has no Swift sources.") }
        // The name of an app's module is in the imports of its tests.
        if let name = tests.sources.lazy.compactMap(testedModule).first { target.module = name }
        tests.dependencies = [target.name]
        project.targets = tests.sources.isEmpty ? [target] : [target, tests]
        return project
    }

    private static func isTest(_ file: URL, _ folder: URL) -> Bool {
        let inside = file.deletingLastPathComponent().pathComponents.dropFirst(folder.pathComponents.count)
        if inside.contains(where: { $0.hasSuffix("Tests") || $0.hasSuffix("UITests") }) { return true }
        return importsTests(file)
    }

    /// Whether a source imports XCTest or Swift Testing.
    static func importsTests(_ file: URL) -> Bool {
        guard file.pathExtension == "swift", let data = try? Data(contentsOf: file) else { return false }
        return String(decoding: data, as: UTF8.self).contains(/(?m)^\s*import (XCTest|Testing)\b/)
    }

    private static func testedModule(_ file: URL) -> String? {
        guard let data = try? Data(contentsOf: file) else { return nil }
        return String(decoding: data, as: UTF8.self).firstMatch(of: /@testable\s+import\s+(\w+)/).map {
            String($0.output.1)
        }
    }
}
