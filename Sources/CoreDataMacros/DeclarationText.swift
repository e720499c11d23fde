// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Generates the members that `@ManagedObject` adds to a class: its slots and its declaration.

import SwiftSyntax
import SwiftSyntaxBuilder

struct DeclarationText {
    private let managed: ManagedClass

    init(_ managed: ManagedClass) { self.managed = managed }

    var members: [DeclSyntax] { [slots, declaration] }

    private var access: String { managed.access == "open" ? "public " : managed.accessPrefix }

    private var slots: DeclSyntax {
        let count = Slots.text("\(managed.properties.count)", in: managed.superclass)
        let statements = managed.properties.map { "declaration.\(Self.statement($0))" }.joined(separator: "\n")
        let variable = managed.properties.isEmpty ? "let" : "var"
        return """
            \(raw: access)enum _DeclaredSlots {
                \(raw: access)static var count: Int { \(raw: count) }
                static let declaration = declare()
                private static func declare() -> CoreDataModeling.ClassDeclaration {
                    \(raw: variable) declaration = CoreDataModeling.ClassDeclaration(
                        \(raw: managed.name).self, superclass: \(raw: managed.superclass).self\(raw: traits("ClassTraits", managed.arguments)))
                    \(raw: statements)
                    return declaration.finished()
                }
            }
            """
    }

    private var declaration: DeclSyntax {
        """
        \(raw: managed.accessPrefix)override class var _declaration: (any CoreData._ManagedClassDeclaration)? {
            _DeclaredSlots.declaration
        }
        """
    }

    private func traits(_ type: String, _ arguments: String?) -> String {
        arguments.map { ", CoreDataModeling.\(type)(\($0))" } ?? ""
    }

    private static func statement(_ property: ManagedProperty) -> String {
        let initial = property.initial.map { ", initial: \($0.trimmedDescription)" } ?? ""
        let place = "(\"\(property.name)\", \(metatype(property.type))"
        switch property.mark {
        case .relationship(let mark):
            return "relationship\(place), CoreDataModeling.RelationshipTraits(\(mark.argumentText ?? "")))"
        case .attribute(let mark):
            let traits = "CoreDataModeling.AttributeTraits(\(mark.argumentText ?? ""))"
            guard property.storage != .value else { return "attribute\(place)\(initial), \(traits))" }
            return "\(property.storage.rawValue)(\"\(property.name)\", \(metatype(property.unwrappedType)), "
                + "mayBeNil: \(property.isOptional)\(initial), \(traits))"
        case nil where property.elementType != nil:
            // The macro itself warns about the missing inverse.
            return "relationship\(place), CoreDataModeling.RelationshipTraits())"
        case nil:
            return "attribute\(place)\(initial))"
        }
    }

    static func metatype(_ type: TypeSyntax) -> String {
        let isSimple =
            type.is(IdentifierTypeSyntax.self) || type.is(MemberTypeSyntax.self) || type.is(OptionalTypeSyntax.self)
            || type.is(ArrayTypeSyntax.self) || type.is(DictionaryTypeSyntax.self)
        return isSimple ? "\(type.trimmedDescription).self" : "(\(type.trimmedDescription)).self"
    }
}
