// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Converts names of models to names in Swift.

import CoreDataModelFiles

enum SwiftNames {
    /// The name in a declaration, with backticks if necessary.
    ///
    /// - Parameter isMember: after a dot fewer words need backticks, but a declaration may always have them.
    static func escaped(_ name: String, isMember: Bool = true) -> String {
        let isWord = keywords.contains(name) && !(isMember == false && typeWords.contains(name))
        return isWord ? "`\(name)`" : name
    }

    /// "Tags" for "tags".
    static func capitalized(_ name: String) -> String { name.prefix(1).uppercased() + name.dropFirst() }

    /// A string literal.
    static func quoted(_ text: String) -> String {
        let escaped = text.replacingEach("\\", with: "\\\\").replacingEach("\"", with: "\\\"")
            .replacingEach("\n", with: "\\n").replacingEach("\r", with: "\\r")
        return "\"\(escaped)\""
    }

    /// Members of `NSManagedObject` that conflict with properties of the same name, in addition to the names
    /// that models forbid.
    static let taken: Set<String> = ["faultingState", "observationInfo"]

    private static let typeWords: Set<String> = ["Any", "Self"]

    private static let keywords: Set<String> = [
        "Any", "Self", "Type", "Protocol", "as", "associatedtype", "break", "case", "catch", "class", "continue",
        "default",
        "defer", "deinit", "do", "else", "enum", "extension", "fallthrough", "false", "fileprivate", "for", "func",
        "guard", "if", "import", "in", "init", "inout", "internal", "is", "let", "nil", "operator", "precedencegroup",
        "private", "protocol", "public", "repeat", "rethrows", "return", "self", "static", "struct", "subscript",
        "super", "switch", "throw", "throws", "true", "try", "typealias", "var", "where", "while",
    ]
}
