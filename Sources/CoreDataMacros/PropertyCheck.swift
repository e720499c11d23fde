// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Selects the managed variables of a class, and diagnoses those that cannot be managed with any type.

import SwiftSyntax

enum PropertyCheck {
    static func isCandidate(
        _ variable: VariableDeclSyntax, _ marks: Marks, _ diagnostics: DiagnosticList
    ) -> Bool {
        if marks.isNotManaged { return false }
        if let exempt = reasonToLeave(variable, marks) {
            if let mark = marks.any {
                diagnostics.error(mark, "'@\(mark.simpleName)' is for stored variables: \(exempt)")
            }
            return false
        }
        return canBeManaged(variable, marks, diagnostics)
    }

    /// The reason why a variable is not part of the model; nil if it is.
    private static func reasonToLeave(_ variable: VariableDeclSyntax, _ marks: Marks) -> String? {
        let words = Set(variable.modifiers.map(\.name.text))
        if !words.isDisjoint(with: ["static", "class"]) { return "this one belongs to the class, not to its objects" }
        if marks.hasForeignMacro { return "this one has a property wrapper" }
        if variable.bindings.contains(where: { isComputed($0) }) { return "this one is computed" }
        return nil
    }

    static func isComputed(_ binding: PatternBindingSyntax) -> Bool {
        switch binding.accessorBlock?.accessors {
        case .getter: true
        case .accessors(let list): list.contains { !observers.contains($0.accessorSpecifier.text) }
        case nil: false
        }
    }

    private static let observers: Set<String> = ["willSet", "didSet"]

    /// Swift reports misleading errors for some of these names, and none for others.
    private static let taken: Set<String> = [
        "class", "debugDescription", "description", "entity", "faultingState", "hasChanges", "hash", "hashValue",
        "hasPersistentChangedValues", "isDeleted", "isFault", "isInserted", "isUpdated", "managedObjectContext",
        "objectID", "self", "super", "superclass",
    ]

    private static func canBeManaged(
        _ variable: VariableDeclSyntax, _ marks: Marks, _ diagnostics: DiagnosticList
    ) -> Bool {
        if let managed = marks.managed {
            diagnostics.superfluous(managed)
            return false
        }
        if variable.bindingSpecifier.tokenKind == .keyword(.let) {
            diagnostics.constant(variable)
            return false
        }
        let unfit: Set<String> = ["lazy", "weak", "unowned"]
        if let modifier = variable.modifiers.first(where: { unfit.contains($0.name.text) }) {
            diagnostics.unfit(modifier, of: variable)
            return false
        }
        if variable.bindings.count > 1 || variable.bindings.first?.pattern.is(IdentifierPatternSyntax.self) != true {
            diagnostics.error(variable.bindings, "a managed property needs a declaration of its own")
            return false
        }
        if let pattern = variable.bindings.first?.pattern, taken.contains(pattern.trimmedDescription.trimmingBackticks)
        {
            diagnostics.error(
                pattern, "every managed object has a member '\(pattern.trimmedDescription)': choose another name")
            return false
        }
        if let block = variable.bindings.first?.accessorBlock {
            diagnostics.observed(block, of: variable)
            return false
        }
        return true
    }
}

/// Diagnoses impossible default values.
enum InitialValueCheck {
    static func check(_ value: ExprSyntax?, isRelationship: Bool, _ diagnostics: DiagnosticList) {
        guard let value, !value.is(NilLiteralExprSyntax.self) else { return }
        if isRelationship {
            let isEmpty = value.as(ArrayExprSyntax.self)?.elements.isEmpty ?? (value.trimmedDescription == "Set()")
            if !isEmpty { diagnostics.error(value, "a relationship has no default: set it in 'awakeFromInsert()'") }
            return
        }
        let text = value.trimmedDescription
        if ["Date()", "Date.now", ".now", "UUID()"].contains(text) {
            diagnostics.warning(
                value, "'\(text)' is computed once, when the model is made: set the property in 'awakeFromInsert()'")
        }
    }
}
