// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Finds the tests that a declaration contains, so that a cut test is reported by its name.

import CoreDataGeneration

enum TestNames {
    /// Functions with `@Test`, and methods of XCTest: without parameters, with a name that begins with "test".
    static func all(in declaration: OutlineDeclaration, _ tokens: [SwiftToken]) -> [String] {
        if declaration.kind == .type { return declaration.members.flatMap { all(in: $0, tokens) } }
        guard declaration.kind == .member else { return [] }
        let head = tokens[declaration.head]
        guard let keyword = head.firstIndex(where: { $0.is("func") }) else { return [] }
        let isMarked = head.indices.contains { head[$0].is("Test") && $0 > head.startIndex && head[$0 - 1].is("@") }
        let name = declaration.name.split(separator: ".").last ?? ""
        let isMethod =
            declaration.name.contains(".") && name.hasPrefix("test") && keyword + 3 < tokens.count
            && tokens[keyword + 2].is("(") && tokens[keyword + 3].is(")")
        return isMarked || isMethod ? [declaration.name] : []
    }
}
