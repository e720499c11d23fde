// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Writes the types of symbol names as source code.

extension MangledType {
    /// Source code with full paths.
    var text: String {
        switch self {
        case .nominal(let declaration): declaration.text
        case .existential(let declaration): "any \(declaration.text)"
        case .any: "Any"
        case .anyObject: "AnyObject"
        case .optional(.existential(let declaration)): "(any \(declaration.text))?"
        case .optional(let wrapped): "\(wrapped.text)?"
        case .parameter(_, _, let name): name
        case .generic(let declaration, let arguments): declaration.text(arguments)
        }
    }
}

extension MangledDeclaration {
    var text: String { text([]) }

    func text(_ arguments: [[MangledType]]) -> String {
        if let standIn { return standIn }
        let first = steps.count - arguments.count
        let path = steps.enumerated().map { place, step in
            let list = place < first ? [] : arguments[place - first]
            let inner = list.map(\.text).joined(separator: ", ")
            return SwiftNames.escaped(step.name) + (inner.isEmpty ? "" : "<\(inner)>")
        }.joined(separator: ".")
        return path == "_NSRange" ? "NSRange" : path
    }
}

extension MangledDeclaration {
    /// The path without the module.
    var path: String { steps.map(\.name).joined(separator: ".") }
}

extension MangledType {
    /// The class that the superclass replaces, if it can be checked: in a reference, a set or an array.
    var hiddenClass: String? {
        switch self {
        case .optional(let wrapped): wrapped.hiddenClass
        case .generic(let declaration, let arguments)
        where ["Set", "Array"].contains(declaration.path) && declaration.module == "Swift":
            arguments.first?.first.flatMap {
                if case .nominal(let member) = $0, member.standIn != nil { member.steps.last?.name } else { nil }
            }
        case .nominal(let declaration) where declaration.standIn != nil: declaration.steps.last?.name
        default: nil
        }
    }

    /// A type anywhere within this one that generated code cannot see.
    var hiddenDeclaration: MangledDeclaration? {
        switch self {
        case .optional(let wrapped): wrapped.hiddenDeclaration
        case .generic(let declaration, let arguments):
            declaration.standIn != nil
                ? declaration : arguments.joined().lazy.compactMap(\.hiddenDeclaration).first
        case .nominal(let declaration): declaration.standIn != nil ? declaration : nil
        case .existential, .any, .anyObject, .parameter: nil
        }
    }
}
