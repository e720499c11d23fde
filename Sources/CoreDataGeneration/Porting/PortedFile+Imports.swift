// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Adds the imports that a file needs for declarations that Foundation on Linux lacks.

/// Names that Apple's Foundation declares, and Foundation on Linux does not declare usably.
private enum ForeignName {
    /// Foundation has unusable classes with these names, which makes them ambiguous beside `import Foundation`.
    /// Importing the individual class resolves the ambiguity.
    static let ambiguous = ["NSExpression", "NSComparisonPredicate"]
    /// Names that only `import CoreData` provides.
    static let missing: Set<String> = [
        "ValueTransformer", "NSValueTransformerName", "NSSecureUnarchiveFromDataTransformer", "UndoManager",
    ]
}

extension PortedFile {
    /// `import CoreData.NSFetchRequest` names one of Apple's headers; other platforms have no such submodules.
    mutating func replaceSubmoduleImports() {
        for index in imports where `is`(index + 2, ".") && tokens.indices.contains(index + 3) {
            guard ["CoreData", "Foundation"].contains(tokens[index + 1].text) else { continue }
            replace(tokens[index + 1].range.upperBound..<tokens[index + 3].range.upperBound, "")
        }
    }

    mutating func completeImports() {
        guard let last = imports.last else { return }
        let used = Set(tokens.filter { $0.kind == .word }.map(\.text)).union(addedNames)
        let importsCoreData = imports.contains { `is`($0 + 1, "CoreData") }
        let needed = ForeignName.ambiguous.filter { name in
            used.contains(name) && importsBesidesCoreData && !hasScopedImport(name)
        }
        var lines: [String] = []
        if !importsCoreData, !needed.isEmpty || !used.isDisjoint(with: ForeignName.missing) {
            lines.append("import CoreData")
        }
        if !needed.isEmpty {
            lines.append("#if !canImport(ObjectiveC)")
            lines += needed.map { "    import class CoreData.\($0)" }
            lines.append("#endif")
        }
        guard !lines.isEmpty else { return }
        var end = tokens[last].range.upperBound
        while end < bytes.count, bytes[end] != UInt8(ascii: "\n") { end += 1 }
        insert("\n" + lines.joined(separator: "\n"), at: end)
    }

    /// Imports of whole modules outside of conditions on Objective-C. `import class A.b` is not included.
    private var imports: [Int] {
        tokens.indices.filter { index in
            `is`(index, "import") && tokens[index].kind == .word && !isGuarded[index]
                && tokens.indices.contains(index + 1) && !Self.kinds.contains(tokens[index + 1].text)
        }
    }

    private static let kinds: Set<String> = ["class", "struct", "enum", "protocol", "typealias", "func", "let", "var"]

    /// Any other module may re-export Foundation.
    private var importsBesidesCoreData: Bool { imports.contains { !`is`($0 + 1, "CoreData") } }

    private func hasScopedImport(_ name: String) -> Bool {
        tokens.indices.contains { `is`($0, "import") && `is`($0 + 1, "class") && `is`($0 + 4, name) }
    }
}
