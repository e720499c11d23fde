// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Names of models as names of Swift.

enum SwiftNames {
    /// The name as it stands in a declaration.
    ///
    /// - Parameter isMember: behind a dot fewer words need back-ticks, but a declaration is safe with them.
    static func escaped(_ name: String, isMember: Bool = true) -> String {
        let isWord = keywords.contains(name) && !(isMember == false && typeWords.contains(name))
        return isWord ? "`\(name)`" : name
    }

    /// "Tags" for "tags".
    static func capitalized(_ name: String) -> String { name.prefix(1).uppercased() + name.dropFirst() }

    /// A string literal.
    static func quoted(_ text: String) -> String {
        let escaped = text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n")
        return "\"\(escaped)\""
    }

    /// Members of `NSManagedObject` that a property of the same name would collide with, beyond those that no model may
    /// use.
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
