// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Adds the imports that a file needs for declarations that other modules export on Apple's systems.

import CoreDataGeneration
import Foundation

extension PortedFile {
    /// `import CoreData.NSFetchRequest` names one of Apple's headers; other platforms have no such submodules.
    mutating func replaceSubmoduleImports() {
        for index in imports where `is`(index + 2, ".") && tokens.indices.contains(index + 3) {
            guard ["CoreData", "Foundation"].contains(tokens[index + 1].text) else { continue }
            replace(tokens[index + 1].range.upperBound..<tokens[index + 3].range.upperBound, "")
        }
    }

    /// On Linux `Foundation.ValueTransformer` does not exist; without the module's name it is Apple's class on Apple's
    /// systems.
    mutating func dropModuleNames() {
        for index in tokens.indices
        where `is`(index, "Foundation") && `is`(index + 1, ".") && !isGuarded[index] && !`is`(index - 1, ".")
            && !`is`(index - 1, "import") && !`is`(index - 2, "import")
        {
            guard tokens.indices.contains(index + 2), ForeignNames.ofFoundation.contains(tokens[index + 2].text) else {
                continue
            }
            addedNames.insert(tokens[index + 2].text)
            replace(tokens[index].range.lowerBound..<tokens[index + 2].range.lowerBound, "")
        }
    }

    /// - Parameter declared: names that the sources declare themselves.
    mutating func completeImports(declared: Set<String>) {
        let used = usedNames.subtracting(declared)
        let importsCoreData = imports.contains { `is`($0 + 1, "CoreData") }
        let ambiguous = ForeignNames.ambiguous.filter { used.contains($0) && !hasScopedImport($0) }
        var lines: [String] = []
        if !importsCoreData, !ambiguous.isEmpty || needsCoreData(used) {
            lines.append(isPublic ? "public import CoreData" : "import CoreData")
        }
        if !ambiguous.isEmpty, importsBesidesCoreData {
            lines.append("#if !canImport(ObjectiveC)")
            lines += ambiguous.map { "    import class CoreData.\($0)" }
            lines.append("#endif")
        }
        guard !lines.isEmpty else { return }
        let (text, depths) = (lines.joined(separator: "\n"), depths)
        if let last = allImports.last(where: { depths[$0] == 0 }) {
            var end = tokens[last].range.upperBound
            while end < bytes.count, bytes[end] != UInt8(ascii: "\n") { end += 1 }
            insert("\n" + text, at: end)
        } else {
            insert(text + (allImports.isEmpty ? "\n\n" : "\n"), at: startOfCode)
        }
    }

    /// The first declaration or condition with its documentation, after the comment at the head of the file.
    private var startOfCode: Int {
        var start = tokens.first.map { startOfLine($0.range.lowerBound) } ?? bytes.count
        while start > 0 {
            let before = startOfLine(start - 1)
            let line = text(before..<start).trimmingCharacters(in: .whitespacesAndNewlines)
            guard ["///", "/**", "*"].contains(where: line.hasPrefix) else { break }
            start = before
        }
        return start
    }

    private func needsCoreData(_ used: Set<String>) -> Bool {
        used.contains { name in
            (ForeignNames.ofFoundation.contains(name) || ForeignNames.areOfCoreData(name)) && !hasScopedImport(name)
        } || usesKeysOfText
    }

    /// Words that can refer to a declaration of a module: neither a member, nor a label, nor the name of a declaration.
    private var usedNames: Set<String> {
        let names = tokens.indices.filter { index in
            tokens[index].kind == .word && !isGuarded[index] && !`is`(index - 1, ".") && !`is`(index - 1, "import")
                && !(`is`(index + 1, ":") && (`is`(index - 1, "(") || `is`(index - 1, ",")))
        }
        return Set(names.map { tokens[$0].text }).union(addedNames)
    }

    /// `NSPredicate(format:)` and `NSSortDescriptor(key:)`: Foundation on Linux declares them as unavailable.
    private var usesKeysOfText: Bool {
        tokens.indices.contains { index in
            `is`(index + 1, "(") && !isGuarded[index]
                && (`is`(index, "NSPredicate") && `is`(index + 2, "format")
                    || `is`(index, "NSSortDescriptor") && `is`(index + 2, "key"))
        }
    }

    /// Imports of whole modules outside of conditions on Objective-C. `import class A.b` is not included.
    private var imports: [Int] {
        let isForOthers = isForOthers
        return allImports.filter {
            !isGuarded[$0] && !Self.kinds.contains(tokens[$0 + 1].text) && !isForOthers[$0]
        }
    }

    private var allImports: [Int] {
        tokens.indices.filter {
            `is`($0, "import") && tokens[$0].kind == .word && !`is`($0 - 1, ".") && tokens.indices.contains($0 + 1)
        }
    }

    private static let kinds: Set<String> = ["class", "struct", "enum", "protocol", "typealias", "func", "let", "var"]

    /// The number of conditions around each token.
    private var depths: [Int] {
        var depth = 0
        return tokens.map { token in
            guard token.kind == .directive else { return depth }
            if token.text.hasPrefix("#if") { depth += 1 }
            if token.text == "#endif" { depth -= 1 }
            return depth
        }
    }

    /// Whether a condition encloses the token that may not hold on Linux, by token. An import inside does not count.
    private var isForOthers: [Bool] {
        var stack: [Bool] = []
        return tokens.map { token in
            guard token.kind == .directive else { return stack.contains(true) }
            let isForOthers = !["CoreData", "SwiftData", "Foundation", "Linux"].contains { token.text.contains($0) }
            if token.text.hasPrefix("#if") {
                stack.append(isForOthers)
            } else if token.text == "#endif" {
                _ = stack.popLast()
            } else if !stack.isEmpty {
                stack[stack.count - 1] = true
            }
            return stack.contains(true)
        }
    }

    /// Any other module may re-export Foundation.
    private var importsBesidesCoreData: Bool { imports.contains { !`is`($0 + 1, "CoreData") } }

    /// Where imports are internal by default, a public declaration needs the module's import to be public.
    private var isPublic: Bool { imports.contains { `is`($0 - 1, "public") } }

    private func hasScopedImport(_ name: String) -> Bool {
        tokens.indices.contains { index in
            `is`(index, "import") && `is`(index + 4, name) && Self.kinds.contains(tokens[index + 1].text)
        }
    }
}
