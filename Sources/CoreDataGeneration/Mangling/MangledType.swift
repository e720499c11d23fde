// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Types as symbol names know them: with the module and the kind of each declaration.

/// A declaration, from the module inwards.
struct MangledDeclaration: Hashable {
    struct Step: Hashable {
        var name: String
        var kind: Character
    }

    var module: String
    var steps: [Step]

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
    case generic(MangledDeclaration, [MangledType])
    case optional(MangledType)
    /// `Any`
    case any
    /// `AnyObject`
    case anyObject
    /// `any Protocol`
    case existential(MangledDeclaration)
}
