// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// An empty folder for one test.

import Foundation

final class EmptyFolder: Sendable {
    let url = FileManager.default.temporaryDirectory.appending(path: "Snippets-\(UUID().uuidString)")
    init() throws { try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true) }
    deinit { try? FileManager.default.removeItem(at: url) }
}
