// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Finds the files of Apple's tools next to the repository.

import FixtureFiles
package import Foundation
package import Testing

extension Tag {
    /// Apple's documentation supports the expectation; it has not been seen in a file.
    @Tag package static var assumed: Self
}

package enum Fixtures {
    package static let root = FixtureFolder.url

    package static let areMissing = FixtureFolder.isMissing

    package static func files(_ folder: String, suffix: String) -> [String] {
        let names = try? FileManager.default.contentsOfDirectory(atPath: root.appendingPathComponent(folder).path)
        return (names ?? []).filter { $0.hasSuffix(suffix) }.sorted()
    }

    package static func data(_ path: String) throws -> Data {
        try Data(contentsOf: root.appendingPathComponent(path))
    }
}

extension Trait where Self == ConditionTrait {
    package static var needsFixtures: Self { .disabled(if: Fixtures.areMissing, FixtureFolder.reason) }
}

/// A separate folder for one test.
package struct TemporaryFolder {
    package let url: URL

    package init() throws {
        url = FileManager.default.temporaryDirectory.appendingPathComponent("modelfiles-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    package func remove() { try? FileManager.default.removeItem(at: url) }
}
