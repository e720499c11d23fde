// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A folder for the files of one test, removed with it.

import Foundation
import Testing

@testable import SQLiteDriver

final class TemporaryFolder {
    let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory.appendingPathComponent("SQLiteDriver-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    func path(_ name: String = "test.sqlite") -> String { url.appendingPathComponent(name).path }
}

/// The error of the call; a second name for "it must fail, and by SQLite".
func failure<Result>(of call: () throws -> Result, _ location: SourceLocation = #_sourceLocation) throws -> SQLiteError
{
    do {
        _ = try call()
    } catch let error as SQLiteError {
        return error
    }
    Issue.record("nothing was thrown", sourceLocation: location)
    throw NothingThrown()
}

struct NothingThrown: Error {}
