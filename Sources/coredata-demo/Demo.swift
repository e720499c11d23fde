// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The entry point of the demonstration, with its steps in order.

import CoreData
import Foundation

/// Builds a graph of this machine's packages, queries and changes it, and inspects the file.
///
/// It uses only the public interface of Core Data, as an app would.
@main
struct Demo {
    static func main() async {
        do {
            try await Demo().run()
        } catch {
            FileHandle.standardError.write(Data("coredata-demo: \((error as NSError).localizedDescription)\n".utf8))
            exit(1)
        }
    }

    private let folder = URL(fileURLWithPath: "demo-output", isDirectory: true)
    private var storeURL: URL { folder.appendingPathComponent("Packages.sqlite") }

    private func run() async throws {
        let started = ContinuousClock.now
        try prepareFolder()
        let source = try PackageSource()

        var library: PackageLibrary? = try await PackageLibrary.open(at: storeURL)
        if let library {
            Report.title("Import: \(source.records.count) packages from \(source.name)")
            try await PackageImport(library: library, records: source.records).run()
            Report.title("Questions")
            try await Questions(library: library).run()
            Report.title("Changes")
            try await Changes(library: library).run()
        }

        // Releases everything in memory, so that the following steps read from the file.
        try library?.close()
        library = nil

        Report.title("Reopened")
        let reopened = try await PackageLibrary.open(at: storeURL)
        try await Changes(library: reopened).verify()

        Report.title("The store")
        try await Inspection(library: reopened, store: storeURL).run()
        try reopened.close()
        Report.title("Done in \(Report.text(ContinuousClock.now - started))")
    }

    /// Every run of the demonstration starts with an empty folder.
    private func prepareFolder() throws {
        let manager = FileManager.default
        if manager.fileExists(atPath: folder.path) { try manager.removeItem(at: folder) }
        try manager.createDirectory(at: folder, withIntermediateDirectories: true)
    }
}
