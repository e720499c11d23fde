// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The files of the package as a value.

import CoreDataGeneration
package import Foundation

/// Where the package finds OpenCoreData.
package enum LibraryLocation: Equatable, Sendable {
    case checkout(URL)
    case repository(String)
}

/// A file of the output: a symbolic link to a file of the project, a copy of it, or text.
enum PackageFile: Equatable {
    case link(URL)
    /// For resources: SwiftPM copies a link as it is into the bundle, where its relative path leads nowhere.
    case copy(URL)
    case text(String)
}

struct AdoptedPackage {
    /// The files by their paths in the output folder.
    private(set) var files: [String: PackageFile] = [:]

    init(_ project: AppProject, _ targets: [AdoptedTarget], library: LibraryLocation) {
        let filled = targets.filter { !$0.taken.isEmpty || !$0.target.models.isEmpty }
        files["Package.swift"] = .text(ManifestText.text(project.name, filled, library: library))
        files[".gitignore"] = .text(".build/\n")
        for target in filled { add(target) }
    }

    private mutating func add(_ target: AdoptedTarget) {
        for source in target.taken {
            let path = "\(target.folder)/\(source.path)"
            files[path] = source.isUnchanged ? .link(source.original) : .text(Self.copy(source))
        }
        for (name, text) in target.added { files["\(target.folder)/\(name)"] = .text(text) }
        for model in target.target.models + target.target.mappings {
            let base = "\(target.folder)/\(model.lastPathComponent)"
            for file in Self.files(inModel: model) {
                files["\(base)/\(file)"] = .link(model.appendingPathComponent(file))
            }
        }
        for (name, file) in target.madeResources { files["\(target.folder)/Resources/\(name)"] = file }
        for resource in target.resources {
            files["\(target.folder)/Resources/\(resource.lastPathComponent)"] = .copy(resource)
        }
    }

    /// The note is at the end, so that lines keep their numbers (Adoption, invariant 4).
    private static func copy(_ source: AdoptedSource) -> String {
        let text = source.text
        let end = text.hasSuffix("\n") ? "" : "\n"
        let name = source.original.lastPathComponent
        return text + end + "// Copied from \(name) by coredata-tool adopt, with changes: \(source.digest)\n"
    }

    /// The files of a model that its compiler reads. They are links inside of a folder, because SwiftPM lists no folder
    /// that is a link.
    private static func files(inModel url: URL) -> [String] {
        let names: Set<String> = ["contents", "elements", ".xccurrentversion", "xcmapping.xml"]
        return (FileManager.default.subpaths(atPath: url.path) ?? []).sorted()
            .filter { names.contains(($0 as NSString).lastPathComponent) }
    }
}
