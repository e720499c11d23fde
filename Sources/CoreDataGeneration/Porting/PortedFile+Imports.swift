// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Gives a file the imports that it needs where Foundation lacks what Apple's has.

/// Names that Apple's Foundation declares and Foundation on Linux does not, or not so that a program can use them.
private enum ForeignName {
    /// Foundation has classes of these names that cannot be made. Beside `import Foundation` they are ambiguous as types.
    /// An import of the one class settles which is meant.
    static let ambiguous = ["NSExpression", "NSComparisonPredicate"]
    /// Names that come with `import CoreData` alone.
    static let missing: Set<String> = [
        "ValueTransformer", "NSValueTransformerName", "NSSecureUnarchiveFromDataTransformer", "UndoManager",
    ]
}

extension PortedFile {
    /// `import CoreData.NSFetchRequest` names a header of Apple's; elsewhere a module has no such parts.
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

    /// Imports of whole modules that no condition of Objective-C's is around. `import class A.b` is not among them.
    private var imports: [Int] {
        tokens.indices.filter { index in
            `is`(index, "import") && tokens[index].kind == .word && !isGuarded[index]
                && tokens.indices.contains(index + 1) && !Self.kinds.contains(tokens[index + 1].text)
        }
    }

    private static let kinds: Set<String> = ["class", "struct", "enum", "protocol", "typealias", "func", "let", "var"]

    /// Any other module may bring Foundation along.
    private var importsBesidesCoreData: Bool { imports.contains { !`is`($0 + 1, "CoreData") } }

    private func hasScopedImport(_ name: String) -> Bool {
        tokens.indices.contains { `is`($0, "import") && `is`($0 + 1, "class") && `is`($0 + 4, name) }
    }
}
