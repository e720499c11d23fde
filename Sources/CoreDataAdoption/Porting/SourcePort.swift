// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Rewrites sources for Apple's systems so that they compile on all systems.

package import CoreDataGeneration
package import Foundation

/// Rewrites constructs that only a compiler with Objective-C accepts and no plug-in can supply:
/// 1. `@objc`, `@objc(Name)`, `@objcMembers` move under `#if canImport(ObjectiveC)`.
/// 2. `#keyPath(Car.owner.name)` becomes `"owner.name"`, which is equivalent on all systems.
/// 3. `NSStringFromSelector(#selector(getter: Car.owner))` becomes `"owner"`,
/// `#selector(getter: Car.owner)` becomes `Selector("owner")`.
/// 4. Overrides in extensions move into the class, if the sources contain its declaration.
/// 5. `#selector(NSString.localizedStandardCompare(_:))` and the other comparisons become `Selector("…:")`.
/// 6. Observers by selector receive a block as well, if their method is suitable (`replaceObservers`). A class that
/// removes itself from a centre keeps the tokens of its blocks.
/// 7. `import CoreData.NSFetchRequest` becomes `import CoreData`, and `Foundation.UndoManager` `UndoManager`. Files
/// that name types of Core Data, or those that Foundation on Linux lacks, receive the imports that select this
/// package's types (`ForeignNames`).
/// 8. `X.fetchRequest() as! NSFetchRequest<X>`, casts of other requests and of fetch request templates, and
/// `keyPath._kvcKeyPathString!`, which compile and then trap or are nil, become portable equivalents.
/// 9. `import os` and `import OSLog` move under `#if canImport(os)`. A module that uses the log or the lock of `os`
/// receives a file with these names (`AppleLog`).
/// 10. `bundle.urls(forResourcesWithExtension:subdirectory:)` receives a cast to `[URL]?`.
///
/// Sections by a computed property are reported: they need a transient attribute in the model.
///
/// A second run changes nothing. Code under a condition on Objective-C, or on the log, is not changed.
package struct SourcePort {
    package struct Change: Sendable {
        package let url: URL
        /// "" for a new file.
        package let old: String
        package let new: String
    }

    package private(set) var changes: [Change] = []
    /// The remaining work to be done by hand.
    package private(set) var diagnostics: [Diagnostic] = []

    /// - Throws: errors of reading a file.
    package init(_ urls: [URL]) throws {
        var files = try urls.map { PortedFile($0, [UInt8](try Data(contentsOf: $0))) }
        let observers = NotificationObservers(files)
        let declared = Set(files.flatMap(\.declaredNames))
        for index in files.indices {
            files[index].replaceObservers(observers)
            files[index].guardAttributes()
            files[index].replaceKeyPaths()
            files[index].replaceTemplateCasts()
            files[index].replaceRequestCasts()
            files[index].replaceKeyPathStrings()
            files[index].castResourceLists()
            files[index].guardLog()
            files[index].separateRequestCasts()
            files[index].dropModuleNames()
            files[index].replaceSubmoduleImports()
            files[index].completeImports(declared: declared)
            files[index].warnOfDifferences()
        }
        let computed = Set(files.flatMap(\.computedProperties))
        for index in files.indices { files[index].warnOfSections(by: computed) }
        replaceLog(&files)
        moveOverrides(&files)
        for file in files {
            diagnostics += file.diagnostics
            let (old, new) = (String(decoding: file.bytes, as: UTF8.self), file.result)
            if old != new { changes.append(Change(url: file.url, old: old, new: new)) }
        }
        changes.sort { $0.url.path < $1.url.path }
    }

    /// Adds the file of names to each module that uses them and does not declare one of them.
    private mutating func replaceLog(_ files: inout [PortedFile]) {
        let modules = SourceModules(files.map(\.url))
        for (folder, members) in Dictionary(grouping: files.indices, by: { modules.folder(of: files[$0].url) }) {
            let uses = members.flatMap { index in files[index].logUses.map { (index, $0) } }
            let used = Set(uses.map { files[$0].tokens[$1].text })
            let isDeclared = members.contains { index in !files[index].declaredNames.isDisjoint(with: used) }
            if !uses.isEmpty, !isDeclared {
                let isPublic = uses.contains { files[$0].isInPublicHead($1) }
                changes.append(
                    Change(
                        url: folder.appendingPathComponent(AppleLog.fileName), old: "",
                        new: AppleLog.text(isPublic: isPublic)))
            }
            for index in members { files[index].warnOfLog() }
        }
    }

    private mutating func moveOverrides(_ files: inout [PortedFile]) {
        for index in files.indices {
            for member in files[index].overridesInExtensions() {
                guard let home = files.indices.first(where: { files[$0].bodyEnd(ofClass: member.owner) != nil }),
                    let end = files[home].bodyEnd(ofClass: member.owner)
                else {
                    diagnostics.append(
                        Diagnostic(
                            .warning, files[index].url.path, line: member.line,
                            "An override in an extension needs Objective-C, and the class '\(member.owner)' is not among the sources: move it "
                                + "into the class."))
                    continue
                }
                // Private members of another file would be out of reach.
                if home != index { files[index].exposePrivateMembers(usedIn: member.range) }
                // Edits inside of a moved member move with it.
                let text = files[index].take(member.range)
                files[home].insert("\n\(text)\n", at: end)
            }
        }
    }

    /// All Swift files in folders, and the given files.
    package static func files(_ paths: [URL]) -> [URL] {
        paths.flatMap { url -> [URL] in
            guard let inside = FileManager.default.subpaths(atPath: url.path), !inside.isEmpty else { return [url] }
            return inside.filter { $0.hasSuffix(".swift") && !$0.contains(".build/") }.sorted()
                .map { url.appendingPathComponent($0) }
        }
    }
}
