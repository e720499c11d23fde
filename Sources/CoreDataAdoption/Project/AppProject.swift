// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// An app's project as all readers give it: targets with sources, resources, models and settings.

package import Foundation

/// A project without its format. Paths are absolute and exist, in the case that the disk has.
package struct AppProject: Sendable, Equatable {
    package var name: String
    /// The folder of the project file.
    package var folder: URL
    package var targets: [AppTarget] = []
    /// References that the project does not resolve, and parts that are not read, one sentence each.
    package var notes: [String] = []

    package init(name: String, folder: URL) {
        self.name = name
        self.folder = folder
    }
}

package struct AppTarget: Sendable, Equatable {
    package enum Kind: String, Sendable {
        case app
        case library
        /// A share extension, a widget, a watch app's extension.
        case appExtension
        case unitTests
        case interfaceTests
        /// Aggregates, and kinds of products that this tool does not know.
        case other
    }

    package var name: String
    package var kind: Kind
    /// The name in `import`.
    package var module: String
    package var sources: [URL] = []
    package var models: [URL] = []
    package var mappings: [URL] = []
    package var resources: [URL] = []
    /// Names of targets of the project, the test host included.
    package var dependencies: [String] = []
    package var settings = TargetSettings()
    /// The names of build phases with scripts. They are listed and never run.
    package var scripts: [String] = []
    /// The language in which the app was written.
    package var language = "en"
    /// Objective-C and C sources, which the package leaves out.
    package var foreignSources: [URL] = []

    package init(_ name: String, _ kind: Kind, module: String? = nil) {
        self.name = name
        self.kind = kind
        self.module = module ?? Self.identifier(name)
    }

    /// The name that Xcode makes of a product's name: letters, digits and underscores.
    package static func identifier(_ name: String) -> String {
        let scalars = name.unicodeScalars.map { $0 == "_" || $0.properties.isXIDContinue ? Character($0) : "_" }
        let text = String(scalars)
        return text.first?.isNumber == true ? "_" + text.dropFirst() : text
    }

    /// Sorts a file into the list of its kind.
    mutating func add(_ file: URL) {
        switch file.pathExtension.lowercased() {
        case "swift": sources.append(file)
        case "xcdatamodeld", "xcdatamodel": models.append(file)
        case "xcmappingmodel": mappings.append(file)
        case "m", "mm", "c", "cc", "cpp": foreignSources.append(file)
        case "h", "pch", "modulemap", "xcconfig", "entitlements", "swiftpm": break
        default: resources.append(file)
        }
    }

    /// Removes repetitions, which projects with several references to a file have, and sorts.
    mutating func settle() {
        func unique(_ list: [URL]) -> [URL] {
            var seen: Set<String> = []
            return list.sorted { $0.path < $1.path }.filter { seen.insert($0.path).inserted }
        }
        sources = unique(sources)
        models = unique(models)
        mappings = unique(mappings)
        resources = unique(resources)
        foreignSources = unique(foreignSources)
        dependencies = Set(dependencies).sorted()
    }
}

/// The settings that decide how sources compile.
package struct TargetSettings: Sendable, Equatable {
    /// "5", "6", "4.2".
    package var swiftVersion: String?
    package var isMainActorByDefault = false
    package var isConcurrencyStrict = false
    package var isConcurrencyApproachable = false
    /// The active compilation conditions without `DEBUG`, which SwiftPM sets.
    package var conditions: [String] = []

    package init() {}

    package var isSwift6: Bool { swiftVersion?.hasPrefix("6") == true }
}
