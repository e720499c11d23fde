// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Finds files that a project names in another case than the disk.

package import Foundation

/// Apple's file systems ignore case, so a project may say `item.swift` for `Item.swift`.
package enum PathLookup {
    /// The file on disk; nil if no case of letters finds one.
    package static func find(_ path: String) -> URL? {
        let url = URL(fileURLWithPath: path).standardizedFileURL
        let manager = FileManager.default
        if manager.fileExists(atPath: url.path) { return url }
        var found = URL(fileURLWithPath: "/")
        for part in url.pathComponents.dropFirst() {
            let exact = found.appendingPathComponent(part)
            if manager.fileExists(atPath: exact.path) {
                found = exact
            } else {
                let names = (try? manager.contentsOfDirectory(atPath: found.path)) ?? []
                let key = folded(part)
                guard let name = names.sorted().first(where: { folded($0) == key }) else { return nil }
                found = found.appendingPathComponent(name)
            }
        }
        return found
    }

    /// Equal for names that Apple's file systems do not distinguish.
    package static func folded(_ name: String) -> String { name.precomposedStringWithCanonicalMapping.lowercased() }

    /// All files of a folder in the order of names. Models and bundles are one entry. Hidden files, build folders and
    /// dependency folders and adopted packages are skipped, and symbolic links are not followed.
    package static func files(in folder: URL, depth: Int = 0) -> [URL] {
        let manager = FileManager.default
        guard depth < 32, let names = try? manager.contentsOfDirectory(atPath: folder.path),
            !names.contains(AdoptionRecord.fileName)
        else { return [] }
        return names.sorted().flatMap { name -> [URL] in
            let url = folder.appendingPathComponent(name)
            guard !name.hasPrefix("."), !skipped.contains(name) else { return [] }
            let kind = (try? manager.attributesOfItem(atPath: url.path))?[.type] as? FileAttributeType
            guard kind == .typeDirectory else { return kind == .typeRegular ? [url] : [] }
            if projects.contains(url.pathExtension) { return [] }
            return packages.contains(url.pathExtension) ? [url] : files(in: url, depth: depth + 1)
        }
    }

    private static let skipped: Set<String> = ["Pods", "Carthage", "DerivedData", "build", "node_modules"]
    private static let projects: Set<String> = ["xcodeproj", "xcworkspace", "playground"]
    /// Folders that Xcode shows as one file.
    private static let packages: Set<String> = [
        "xcdatamodeld", "xcdatamodel", "xcmappingmodel", "xcassets", "bundle", "framework", "xcframework", "docc",
        "momd", "rtfd", "scnassets", "mlpackage", "intentdefinition", "icon",
    ]
}
