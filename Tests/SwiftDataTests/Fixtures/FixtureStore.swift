// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Copies of stores that SwiftData wrote.

import FixtureFiles
import Foundation

enum FixtureStore {
    /// A copy in a folder that the caller removes (`Stack.remove`).
    static func copy(_ name: String) throws -> URL {
        let folder = FileManager.default.temporaryDirectory.appending(path: "SwiftDataFixture-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        for name in [name, name + "-wal"] {
            let source = FixtureFolder.url.appending(path: "stores/\(name)")
            guard FileManager.default.fileExists(atPath: source.path) else { continue }
            try Data(contentsOf: source).write(to: folder.appending(path: name))
        }
        return folder.appending(path: name)
    }
}
