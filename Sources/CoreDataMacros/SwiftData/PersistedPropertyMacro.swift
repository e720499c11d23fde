// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// `@_PersistedProperty`: generates the accessors of one property.

public import SwiftSyntax
import SwiftSyntaxBuilder
public import SwiftSyntaxMacros

/// `@_PersistedProperty`: accessors of one property.
public struct PersistedPropertyMacro: AccessorMacro, LaidOutMacro {
    /// Generates accessors that read and write the row by slot.
    public static func expansion(
        of node: AttributeSyntax, providingAccessorsOf declaration: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) throws -> [AccessorDeclSyntax] {
        guard let variable = declaration.as(VariableDeclSyntax.self),
            let property = ModelProperty(variable, DiagnosticList()),
            case .argumentList(let arguments)? = node.arguments, arguments.count == 2,
            let slot = arguments.first?.expression.trimmedDescription,
            let state = arguments.last?.expression.as(StringLiteralExprSyntax.self)?.segments.trimmedDescription
        else { return [] }
        let place = "\(slot), \(quoted(property.name))"
        let row = "\(state)._settled(_$row)"
        let type = property.metatype
        let fallback =
            property.initial.map { $0.is(NilLiteralExprSyntax.self) ? "" : ", initial: \($0.trimmedDescription)" } ?? ""
        return [
            """
            @storageRestrictions(accesses: \(raw: state), initializes: _\(raw: property.name))
            init(initialValue) {
                \(raw: state)._initialize { $0._store(initialValue, \(raw: place)) }
                _\(raw: property.name) = SwiftData._SwiftDataNoType()
            }
            """,
            "get { \(raw: state)._reading(_$row) { $0._load(\(raw: place), \(raw: type)\(raw: fallback)) } }",
            "set {\n\(raw: ObserverText(property).setter("\(row)._store(newValue, \(place))", row: row, slot: slot))\n}",
        ]
    }
}

/// `@_ModelInitializer`: gives the row a reference to its model at the end of an initializer.
public struct ModelInitializerMacro: BodyMacro, LaidOutMacro {
    /// Adds a statement to the body.
    public static func expansion(
        of node: AttributeSyntax,
        providingBodyFor declaration: some DeclSyntaxProtocol & WithOptionalCodeBlockSyntax,
        in context: some MacroExpansionContext
    ) throws -> [CodeBlockItemSyntax] {
        guard let body = declaration.body, case .argumentList(let arguments)? = node.arguments,
            let state = arguments.first?.expression.as(StringLiteralExprSyntax.self)?.segments.trimmedDescription
        else { return [] }
        var last: [CodeBlockItemSyntax] = ["\n\(raw: state)._settle(self, _$row)"]
        if arguments.count == 2,
            let keeper = arguments.last?.expression.as(StringLiteralExprSyntax.self)?.segments.trimmedDescription
        {
            last.append("\n\(raw: keeper)()")
        }
        return Array(body.statements) + last
    }
}

/// Copies the bodies of `willSet` and `didSet` into the setter, because accessors of a macro replace observers.
struct ObserverText {
    private let property: ModelProperty

    init(_ property: ModelProperty) { self.property = property }

    func setter(_ assignment: String, row: String, slot: String) -> String {
        guard property.willSet != nil || property.didSet != nil else { return assignment }
        var lines = ["guard \(row)._beginObserved(\(slot)) else { return \(assignment) }"]
        lines.append("defer { \(row)._endObserved() }")
        if asksForOldValue { lines.append("let oldValue = self.\(property.spelling)") }
        if let body = body(property.willSet, standard: "newValue") { lines.append(body) }
        lines.append(assignment)
        if let body = body(property.didSet, standard: "oldValue") { lines.append(body) }
        return lines.joined(separator: "\n")
    }

    /// The compiler warns of an old value that is never read.
    private var asksForOldValue: Bool {
        guard let observer = property.didSet else { return false }
        return observer.parameters != nil
            || observer.body?.tokens(viewMode: .sourceAccurate).contains { $0.text == "oldValue" } == true
    }

    /// A local function, so that a `return` in the body ends only the body.
    private func body(_ observer: AccessorDeclSyntax?, standard: String) -> String? {
        guard let statements = observer?.body?.statements.trimmedDescription, let observer else { return nil }
        let name = observer.parameters?.name.text
        let renaming = name.map { "let \($0) = \(standard)\n" } ?? ""
        return
            "func \(observer.accessorSpecifier.text)Body() {\n\(renaming)\(statements)\n}\n\(observer.accessorSpecifier.text)Body()"
    }
}
