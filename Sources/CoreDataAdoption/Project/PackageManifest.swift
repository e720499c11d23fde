// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Reads the targets of a package from the text of its manifest.

import CoreDataGeneration
import Foundation

/// The manifest is a program, and programs of the project do not run. So this reads calls of `.target`,
/// `.executableTarget` and `.testTarget` with literal arguments; a manifest that computes its targets gives a note.
struct PackageManifest {
    private let tokens: [SwiftToken]
    private let folder: URL

    /// - Throws: `ProjectError` if there is no manifest.
    static func read(_ folder: URL) throws -> AppProject {
        let file = folder.appendingPathComponent("Package.swift")
        guard let data = try? Data(contentsOf: file), data.count < 1 << 22 else {
            throw ProjectError(file.path, "The file cannot be read.")
        }
        let manifest = PackageManifest(tokens: SwiftLexer.tokens([UInt8](data)), folder: folder)
        var project = AppProject(name: folder.lastPathComponent, folder: folder)
        let mode = manifest.languageMode(of: String(decoding: data.prefix(200), as: UTF8.self))
        for index in manifest.tokens.indices { manifest.addTarget(index, mode, to: &project) }
        if project.targets.isEmpty { project.notes.append("No target of '\(file.path)' has a literal name.") }
        return project
    }

    private func `is`(_ index: Int, _ text: String) -> Bool { tokens.indices.contains(index) && tokens[index].is(text) }

    /// Tools version 6 and later means the Swift 6 language mode, except where the manifest sets an older one.
    private func languageMode(of head: String) -> String {
        let version = head.firstMatch(of: /swift-tools-version:\s*(\d+)/).flatMap { Int($0.output.1) } ?? 5
        let sets = tokens.indices.contains { `is`($0, "swiftLanguageModes") || `is`($0, "swiftLanguageVersions") }
        return version >= 6 && !(sets && tokens.contains { $0.is("v5") }) ? "6" : "5"
    }

    private func addTarget(_ index: Int, _ mode: String, to project: inout AppProject) {
        let kinds: [String: AppTarget.Kind] = [
            "target": .library, "executableTarget": .app, "testTarget": .unitTests,
        ]
        guard `is`(index, "."), tokens.indices.contains(index + 2), let kind = kinds[tokens[index + 1].text],
            `is`(index + 2, "(")
        else { return }
        let end = closing(index + 2)
        let call = (index + 3)..<max(end, index + 3)
        guard let name = literal("name", in: call) else { return }
        // `.target(name: "Other")` in the list of dependencies of another target.
        if call.count <= 3, isDependency(index) { return }
        var target = AppTarget(name, kind)
        target.settings.swiftVersion = mode
        if let list = list("dependencies", in: call) {
            target.dependencies = list.filter { tokens[$0].kind == .literal && !`is`($0 - 2, "package") }
                .map { tokens[$0].text }
        }
        let language = tokens.indices.first { `is`($0, "defaultLocalization") && `is`($0 + 1, ":") }
        if let language, tokens.indices.contains(language + 2), tokens[language + 2].kind == .literal {
            target.language = tokens[language + 2].text
        }
        target.settings.isMainActorByDefault = call.contains { `is`($0, "defaultIsolation") }
        let base = kind == .unitTests ? "Tests" : "Sources"
        let place = literal("path", in: call) ?? "\(base)/\(name)"
        guard let source = PathLookup.find(folder.appendingPathComponent(place).path) ?? flatFolder(base) else {
            return project.notes.append("The folder of the target '\(name)' is missing: '\(place)'.")
        }
        let excluded = (list("exclude", in: call) ?? 0..<0).filter { tokens[$0].kind == .literal }
            .map { source.appendingPathComponent(tokens[$0].text).standardizedFileURL.path }
        for file in PathLookup.files(in: source)
        where !excluded.contains(where: { file.path == $0 || file.path.hasPrefix($0 + "/") }) { target.add(file) }
        target.settle()
        project.targets.append(target)
    }

    /// `Sources` or `Tests` itself, which has the files of the only target of its kind; nil if there are more.
    private func flatFolder(_ base: String) -> URL? {
        let kinds: Set<String> = base == "Tests" ? ["testTarget"] : ["target", "executableTarget"]
        let count = tokens.indices.count { index in
            kinds.contains(tokens[index].text) && `is`(index - 1, ".") && `is`(index + 1, "(")
                && !isDependency(index - 1)
        }
        return count == 1 ? PathLookup.find(folder.appendingPathComponent(base).path) : nil
    }

    /// Whether the call is inside of `dependencies: [ … ]`.
    private func isDependency(_ index: Int) -> Bool {
        var (depth, at) = (0, index - 1)
        while at > 0 {
            if `is`(at, "]") || `is`(at, ")") { depth += 1 }
            if `is`(at, "[") || `is`(at, "(") {
                if depth == 0 { return `is`(at - 1, ":") && `is`(at - 2, "dependencies") }
                depth -= 1
            }
            at -= 1
        }
        return false
    }

    private func closing(_ open: Int) -> Int {
        var (depth, at) = (0, open)
        while at < tokens.count {
            if `is`(at, "(") || `is`(at, "[") || `is`(at, "{") { depth += 1 }
            if `is`(at, ")") || `is`(at, "]") || `is`(at, "}") { depth -= 1 }
            if depth == 0 { return at }
            at += 1
        }
        return tokens.count
    }

    /// The text of `label: "text"` at the first level of a call.
    private func literal(_ label: String, in call: Range<Int>) -> String? {
        guard let place = argument(label, in: call), tokens.indices.contains(place), tokens[place].kind == .literal
        else { return nil }
        return tokens[place].text
    }

    private func list(_ label: String, in call: Range<Int>) -> Range<Int>? {
        guard let place = argument(label, in: call), `is`(place, "[") else { return nil }
        return place..<closing(place)
    }

    private func argument(_ label: String, in call: Range<Int>) -> Int? {
        var at = call.lowerBound
        while at < call.upperBound {
            if `is`(at, label), `is`(at + 1, ":") { return at + 2 }
            at = `is`(at, "(") || `is`(at, "[") || `is`(at, "{") ? closing(at) + 1 : at + 1
        }
        return nil
    }
}
