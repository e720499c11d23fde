// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// A target of the package: its sources with their cuts, its models and its resources.

import CoreDataGeneration
import Foundation

struct AdoptedTarget {
    let target: AppTarget
    var sources: [AdoptedSource]
    /// Sources that `port` adds, by name.
    private(set) var added: [String: String] = [:]
    private(set) var resources: [URL] = []
    /// The files that are made of resources: texts in one language, and colours.
    private(set) var madeResources: [String: PackageFile] = [:]
    /// The languages of texts that are left out.
    private(set) var otherLanguages: Set<String> = []
    /// The remaining work by hand that `port` reports.
    private(set) var warnings: [String] = []

    var isTests: Bool { target.kind == .unitTests }

    /// The folder of the target inside of the output.
    var folder: String { (isTests ? "Tests/" : "Sources/") + target.module }

    /// - Parameters:
    ///   - folder: the folder of the project; the paths of sources begin there.
    ///   - modules: the modules of all targets that are taken.
    ///   - needs: those of the whole project.
    /// - Throws: errors of reading a file.
    init(_ target: AppTarget, folder: URL, modules: Set<String>, needs: ProjectNeeds) throws {
        self.target = target
        let readable = target.sources.filter { FileManager.default.isReadableFile(atPath: $0.path) }
        let originals = try readable.map { ($0, [UInt8](try Data(contentsOf: $0))) }
        let port = try SourcePort(readable)
        var ported: [String: String] = [:]
        for change in port.changes {
            if change.old.isEmpty, !readable.contains(where: { $0.path == change.url.path }) {
                added[change.url.lastPathComponent] = change.new
            } else {
                ported[change.url.path] = change.new
            }
        }
        warnings = port.diagnostics.map(\.description)
        resources = Self.named(target.resources, in: originals.map(\.1))
        if needs.usesTexts {
            let texts = LocalizedResources(target.resources, module: target.module, language: target.language)
            (madeResources, otherLanguages) = (texts.files, texts.others)
            added[TextFunctions.fileName] = TextFunctions.source(
                isMainActorByDefault: target.settings.isMainActorByDefault, hasPlurals: needs.usesPlurals)
        }
        if needs.usesColors, let colors = ColorSets.json(target.resources.filter { $0.pathExtension == "xcassets" }) {
            madeResources[ColorSets.fileName] = .text(colors)
        }
        var conditions = BuildConditions()
        conditions.defined.formUnion(target.settings.conditions)
        conditions.modules.formUnion(modules)
        conditions.languageMode = target.settings.isSwift6 ? 6 : 5
        conditions.isMainActorByDefault = target.settings.isMainActorByDefault
        let hasBundle = !target.models.isEmpty || !resources.isEmpty || !madeResources.isEmpty
        var paths: Set<String> = []
        sources = originals.map { url, bytes in
            var path = Self.relative(url, to: folder)
            // Names that differ in case alone, and files outside of the folder, get a number.
            while !paths.insert(PathLookup.folded(path)).inserted { path = "_" + path }
            return AdoptedSource(
                url, path: path, bytes: bytes, ported: ported[url.path].map { Array($0.utf8) } ?? bytes,
                conditions: conditions, needs: needs, bundle: hasBundle ? "Bundle.module" : nil)
        }
    }

    private static func relative(_ url: URL, to folder: URL) -> String {
        let base = folder.standardizedFileURL.path + "/"
        return url.path.hasPrefix(base) ? String(url.path.dropFirst(base.count)) : "Outside/" + url.lastPathComponent
    }

    /// The resources that a string of the sources names, with or without its extension.
    private static func named(_ resources: [URL], in sources: [[UInt8]]) -> [URL] {
        guard !resources.isEmpty else { return [] }
        let known: Set<String> = [
            "json", "plist", "csv", "txt", "sqlite", "xml", "html", "md", "geojson", "tsv", "db", "seed", "gz", "data",
        ]
        let literals = Set(
            sources.flatMap { SwiftLexer.tokens($0, interpolations: true) }.filter { $0.kind == .literal }.map(\.text))
        var seen: Set<String> = []
        return resources.filter { url in
            let name = url.lastPathComponent
            guard known.contains(url.pathExtension.lowercased()), name != "Info.plist" else { return false }
            let isNamed = literals.contains(name) || literals.contains((name as NSString).deletingPathExtension)
            return isNamed && seen.insert(PathLookup.folded(name)).inserted
        }
    }

    // MARK: Needs

    var taken: [AdoptedSource] { sources.filter { $0.reasonLeftOut == nil } }

    func imports(_ module: String) -> Bool {
        taken.contains { $0.imports(module) } || module == LinuxModules.shims && added[TextFunctions.fileName] != nil
    }

    var usesCoreData: Bool { !target.models.isEmpty || imports("CoreData") }
    var usesSwiftData: Bool { imports("SwiftData") || imports(LinuxModules.swiftDataShims) }

    var testFrameworks: (xctest: Bool, testing: Bool) { (imports("XCTest"), imports("Testing")) }
}
