// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Finds the files that Apple's tools wrote.

package import Foundation
package import Testing

/// The files that Apple's tools wrote. They are other people's work, so this repository lists them
/// (`Tests/Data/fixtures.tsv`: origin and checksum of each) and does not contain them.
package enum FixtureFolder {
    /// The folder that `OPENCOREDATA_FIXTURES` names, else `../shared/fixtures` next to the package.
    package static let url: URL = {
        if let path = ProcessInfo.processInfo.environment["OPENCOREDATA_FIXTURES"], !path.isEmpty {
            return URL(fileURLWithPath: path, isDirectory: true)
        }
        return package.deletingLastPathComponent().appendingPathComponent("shared/fixtures")
    }()

    /// Whether tests that need these files have to be skipped.
    package static let isMissing = !FileManager.default.fileExists(atPath: url.path)

    /// The reason in the report of a skipped test.
    package static let reason: Comment =
        "needs Apple's files in ../shared/fixtures or in the folder that OPENCOREDATA_FIXTURES names"

    /// A file of `Tests/Data`, which belongs to this repository.
    package static func own(_ name: String) -> URL { package.appendingPathComponent("Tests/Data/\(name)") }

    private static let package = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
}
