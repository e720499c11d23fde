// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Chooses the tables of texts of a target, in its development language.

import Foundation

/// A bundle on Linux has one language: that in which the app was written, as its tests expect (Adoption, invariant 12).
struct LocalizedResources {
    /// The files for the bundle, by name.
    private(set) var files: [String: PackageFile] = [:]
    /// The languages that are left out.
    private(set) var others: Set<String> = []

    static let extensions: Set<String> = ["strings", "stringsdict", "xcstrings"]

    /// - Parameters:
    ///   - resources: those of the target.
    ///   - module: begins the names of rules, which are unique in the package.
    init(_ resources: [URL], module: String, language: String) {
        let tables = resources.filter {
            Self.extensions.contains($0.pathExtension.lowercased()) && !$0.lastPathComponent.hasPrefix("InfoPlist.")
        }
        let languages = Set(tables.compactMap(Self.language))
        // Old projects have "English" for "en".
        let names = language == "English" ? [language, "en"] : [language]
        let own = names.first(where: languages.contains) ?? languages.subtracting(["Base"]).min()
        others = languages.subtracting([own ?? "", "Base"])
        var plurals: [String: TextTable] = [:]
        for folder in own == nil ? ["Base", nil] : [own, "Base", nil] {
            for file in tables where Self.language(file) == folder {
                add(file, module, language: own ?? language, &plurals)
            }
        }
        for (name, table) in plurals {
            if let text = table.strings, files["\(name).strings"] == nil { files["\(name).strings"] = .text(text) }
            if let text = table.plurals { files["\(name).plurals.json"] = .text(text) }
        }
    }

    /// The name of the folder with the language; nil for a file in another folder.
    private static func language(_ file: URL) -> String? {
        let folder = file.deletingLastPathComponent()
        return folder.pathExtension == "lproj" ? folder.deletingPathExtension().lastPathComponent : nil
    }

    /// The first file of a table counts.
    private mutating func add(
        _ file: URL, _ module: String, language: String, _ tables: inout [String: TextTable]
    ) {
        let name = file.deletingPathExtension().lastPathComponent
        switch file.pathExtension.lowercased() {
        case "strings":
            if files["\(name).strings"] == nil { files["\(name).strings"] = .copy(file) }
        case "stringsdict" where tables[name] == nil:
            guard let data = try? Data(contentsOf: file) else { return }
            tables[name] = PluralFile.read(data, name: "\(module).\(name)", language: language)
        case "xcstrings" where tables[name] == nil:
            guard let data = try? Data(contentsOf: file) else { return }
            tables[name] = StringCatalog.read(data, name: "\(module).\(name)")
        default: break
        }
    }
}
