// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Chooses the reader for a project by its form.

package import Foundation

package enum ProjectReader {
    /// Reads an `.xcodeproj`, an `.xcworkspace`, a `Package.swift`, or a folder with one of them. A folder with none is
    /// one target. Of several projects in a folder the one named after the folder is read, or the first one; a
    /// workspace counts before a project.
    ///
    /// - Throws: `ProjectError` with the place of the mistake.
    package static func read(_ url: URL) throws -> AppProject {
        guard let place = PathLookup.find(url.path) else { throw ProjectError(url.path, "There is no such file.") }
        switch place.pathExtension {
        case "xcodeproj": return try XcodeProject.read(place)
        case "xcworkspace": return try XcodeWorkspace.read(place)
        case _ where place.lastPathComponent == "project.pbxproj":
            return try XcodeProject.read(place.deletingLastPathComponent())
        case _ where place.lastPathComponent == "Package.swift":
            return try PackageManifest.read(place.deletingLastPathComponent())
        default: return try readFolder(place)
        }
    }

    private static func readFolder(_ folder: URL) throws -> AppProject {
        let names = ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []).sorted()
        for (kind, read) in [("xcworkspace", XcodeWorkspace.read), ("xcodeproj", XcodeProject.read)] {
            let found = names.filter { $0.hasSuffix(".\(kind)") }
            let chosen = found.first { $0 == "\(folder.lastPathComponent).\(kind)" } ?? found.first
            if let chosen { return try read(folder.appendingPathComponent(chosen)) }
        }
        if names.contains("Package.swift") { return try PackageManifest.read(folder) }
        return try FolderProject.read(folder)
    }
}
