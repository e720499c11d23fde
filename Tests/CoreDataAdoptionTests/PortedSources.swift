// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Ports sources that a test gives as text.

import CoreDataGeneration
import Foundation
import ModelFilesTestSupport

@testable import CoreDataAdoption

/// The files and the reports of a port. Files are named by their paths, and keep their place below one folder.
struct PortedSources {
    private(set) var files: [String: String]
    let diagnostics: [String]

    init(_ files: [String: String], manifest: Bool = false) throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let root = folder.url.appendingPathComponent("s")
        try AtomicWrite.folder(files.mapValues { Data($0.utf8) }, to: root)
        let manifestURL = root.appendingPathComponent("Package.swift")
        if manifest { try Data("// swift-tools-version: 6.1".utf8).write(to: manifestURL) }
        let port = try SourcePort(SourcePort.files([root]).filter { $0.lastPathComponent != "Package.swift" })
        self.files = files
        let start = root.standardizedFileURL.path.count + 1
        for change in port.changes {
            self.files[String(change.url.standardizedFileURL.path.dropFirst(start))] = change.new
        }
        diagnostics = port.diagnostics.map { "\($0.line): \($0.message)" }
    }

    /// One file, with `import CoreData` as its first line where `imports` is true.
    static func file(_ source: String, imports: Bool = false) throws -> (text: String, again: String, reports: [String])
    {
        let head = imports ? "import CoreData\n" : ""
        let once = try PortedSources(["A.swift": head + source])
        let text = once.files["A.swift"] ?? ""
        let again = try PortedSources(once.files).files["A.swift"] ?? ""
        return (String(text.dropFirst(head.count)), String(again.dropFirst(head.count)), once.diagnostics)
    }
}
