// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The relevant files of a target's folder.

import Foundation
import PackagePlugin

struct TargetFiles {
    /// `.xcdatamodeld`, and `.xcdatamodel` outside of those.
    private(set) var models: [URL] = []
    private(set) var mappings: [URL] = []
    /// All files inside of models and mapping models.
    private(set) var modelFiles: [URL] = []
    let sources: [URL]
    /// The options file `.coredata-generation.json` in the target's folder.
    let options: URL?

    init(_ target: any SourceModuleTarget) {
        sources = target.sourceFiles(withSuffix: ".swift").map(\.url).sorted { $0.path < $1.path }
        let options = target.directoryURL.appending(path: ".coredata-generation.json")
        self.options = FileManager.default.fileExists(atPath: options.path) ? options : nil
        // Uses SwiftPM's list, without files that the target excludes and folders of other targets.
        for file in target.sourceFiles.map(\.url).sorted(by: { $0.path < $1.path }) { note(file) }
    }

    /// Modules without Core Data need not be scanned.
    var mentionsCoreData: Bool {
        !models.isEmpty
            || sources.contains { (try? Data(contentsOf: $0))?.range(of: Data("CoreData".utf8)) != nil }
    }

    private mutating func note(_ url: URL) {
        var isDirectory: ObjCBool = false
        guard FileManager.default.fileExists(atPath: url.path, isDirectory: &isDirectory), isDirectory.boolValue,
            !url.lastPathComponent.hasPrefix(".")
        else { return }
        switch url.pathExtension {
        case "xcdatamodeld", "xcdatamodel":
            models.append(url)
            modelFiles += Self.files(in: url)
        case "xcmappingmodel":
            mappings.append(url)
            modelFiles.append(url.appending(path: "xcmapping.xml"))
        default:  // a folder that is copied as a whole
            for name in (try? FileManager.default.contentsOfDirectory(atPath: url.path))?.sorted() ?? [] {
                note(url.appending(path: name))
            }
        }
    }

    private static func files(in folder: URL) -> [URL] {
        (FileManager.default.subpaths(atPath: folder.path) ?? []).sorted().map { folder.appending(path: $0) }
            .filter {
                !$0.hasDirectoryPath && ["contents", "elements", ".xccurrentversion"].contains($0.lastPathComponent)
            }
    }
}
