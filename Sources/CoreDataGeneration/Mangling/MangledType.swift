// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Types as symbol names know them: with the module and the kind of each declaration.

/// A declaration, from the module inwards.
struct MangledDeclaration: Hashable {
    struct Step: Hashable {
        var name: String
        var kind: Character
        /// Of the file, for what no other file sees. What is inside of such a type has none.
        var discriminator: String?
    }

    var module: String
    var steps: [Step]
    /// A class that takes the place of one that generated code cannot see: its nearest visible superclass, as source.
    var standIn: String?

    init(module: String, _ steps: [Step]) {
        self.module = module
        self.steps = steps
    }

    init(_ module: String, _ name: String, _ kind: DeclaredType.Kind) {
        self.init(module: module, [Step(name: name, kind: kind.rawValue)])
    }
}

indirect enum MangledType: Hashable {
    case nominal(MangledDeclaration)
    /// Arguments of each type in the path, from the outermost that has any.
    case generic(MangledDeclaration, [[MangledType]])
    /// Of a generic type around: how many such are around that one, its place, its name.
    case parameter(depth: Int, index: Int, name: String)
    case optional(MangledType)
    /// `Any`
    case any
    /// `AnyObject`
    case anyObject
    /// `any Protocol`
    case existential(MangledDeclaration)
}
