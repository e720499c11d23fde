// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Unpacks a built library into the folder of builds (Adoption, invariant 14).

import Foundation

struct PrebuiltLibrary {
    /// Made by `Scripts/prebuild`, which also checks and unpacks it.
    let archive: URL
    let library: LibraryLocation

    /// Unpacks the archive, unless the folder has it already.
    ///
    /// - Parameters:
    ///   - scratch: the folder of builds that the archive was made for.
    ///   - output: the folder of the package, which gets the versions of the packages that the library uses.
    /// - Throws: `ProjectError` for an archive of another toolchain, library, flags or folder; errors of the file
    ///   system.
    func unpack(into scratch: URL, output: URL, usesSwiftData: Bool) throws {
        guard case .checkout(let checkout) = library else {
            throw ProjectError(
                archive.path, "A prebuilt library needs a checkout of OpenCoreData: name it with --library.")
        }
        let script = checkout.appendingPathComponent("Scripts/prebuild")
        guard FileManager.default.isExecutableFile(atPath: script.path) else {
            throw ProjectError(script.path, "The checkout has no script for prebuilt libraries.")
        }
        try FileManager.default.createDirectory(at: scratch, withIntermediateDirectories: true)
        let options = (usesSwiftData ? ["--swiftdata"] : []) + ["--scratch", scratch.path, "--unpack", archive.path]
        let log = scratch.appendingPathComponent("prebuilt.log")
        let run = try CommandRun.run([script.path] + options, in: checkout, limit: 600, log: log)
        guard run.status == 0, !run.wasStopped else {
            let lines = run.output.split(whereSeparator: \.isNewline)
            let sentence = lines.first { $0.hasPrefix("prebuild: ") }?.dropFirst("prebuild: ".count) ?? lines.last ?? ""
            throw ProjectError(archive.path, sentence.prefix(1).uppercased() + sentence.dropFirst())
        }
        let (versions, own) = (
            scratch.appendingPathComponent("Package.resolved"), output.appendingPathComponent("Package.resolved")
        )
        if FileManager.default.fileExists(atPath: versions.path), !FileManager.default.fileExists(atPath: own.path) {
            try FileManager.default.copyItem(at: versions, to: own)
        }
    }
}
