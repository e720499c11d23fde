// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Finds the files of Apple's tools that stand beside the repository.

import Foundation
import Testing

extension Tag {
    /// The test states what Apple's documentation supports; it has not been seen in a file.
    @Tag static var assumed: Self
}

enum Fixtures {
    static let root = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appendingPathComponent("shared/fixtures")

    static let areMissing = !FileManager.default.fileExists(atPath: root.path)

    static func files(_ folder: String, suffix: String) -> [String] {
        let names = try? FileManager.default.contentsOfDirectory(atPath: root.appendingPathComponent(folder).path)
        return (names ?? []).filter { $0.hasSuffix(suffix) }.sorted()
    }

    static func data(_ path: String) throws -> Data {
        try Data(contentsOf: root.appendingPathComponent(path))
    }
}

extension Trait where Self == ConditionTrait {
    static var needsFixtures: Self { .disabled(if: Fixtures.areMissing, "needs ../shared/fixtures") }
}

/// A folder of its own for one test.
struct TemporaryFolder {
    let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory.appendingPathComponent("generation-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    func remove() { try? FileManager.default.removeItem(at: url) }
}
