// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Types in symbol names, with the module and kind of each declaration.

/// A declaration, from the module inwards.
struct MangledDeclaration: Hashable {
    struct Step: Hashable {
        var name: String
        var kind: Character
        /// The discriminator of a private declaration's file. Declarations inside of such a type have none.
        var discriminator: String?
    }

    var module: String
    var steps: [Step]
    /// The nearest visible superclass, as source code, which replaces a class that generated code cannot see.
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
    /// The arguments of each type in the path, from the outermost generic one.
    case generic(MangledDeclaration, [[MangledType]])
    /// A parameter of an enclosing generic type: the number of generic types around that one, its position, its name.
    case parameter(depth: Int, index: Int, name: String)
    case optional(MangledType)
    /// `Any`
    case any
    /// `AnyObject`
    case anyObject
    /// `any Protocol`
    case existential(MangledDeclaration)
}
