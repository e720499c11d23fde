// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Inspects the finished store with its cached model, as `coredata-tool` does.

import CoreDataToolKit
import Foundation

/// Describes a store, and writes its description and its diagram.
struct Inspection {
    let store: URL
    let folder: URL

    func run() throws {
        let opened = try OpenedStore(store)
        let summary = try ModelSummary(store: opened)
        for entity in summary.entities { Report.line("\(entity.name): \(entity.count ?? 0) objects") }
        let query = Query(
            entityName: "Package", format: "dependents.@count > 5", sortKeys: ["-installedSize"],
            selection: ["name", "version", "installedSize", "section.name", "dependents"], limit: 5)
        print(try query.run(on: opened).text(.table), terminator: "")
        try write(summary.text(.json), to: "Packages.json")
        let graph = ModelGraph(summary)
        try write(SVGDiagram.text(graph), to: "Packages.svg")
        try write(MermaidDiagram.text(graph), to: "Packages.mmd")
        Report.line("store: \(store.path)")
    }

    private func write(_ text: String, to name: String) throws {
        let url = folder.appendingPathComponent(name)
        // `Data.write(to:)` writes wrong bytes after a short write.
        guard FileManager.default.createFile(atPath: url.path, contents: nil) else {
            throw CocoaError(.fileWriteUnknown, userInfo: [NSFilePathErrorKey: url.path])
        }
        let file = try FileHandle(forWritingTo: url)
        try file.write(contentsOf: Data(text.utf8))
        try file.close()
        Report.line("wrote \(url.relativePath)")
    }
}
