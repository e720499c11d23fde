// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Collects the diagnostics of a class with their fix-its.

import SwiftDiagnostics
import SwiftSyntax

/// Filled while a class is read. Code that reads a class twice shows one list and drops the other.
final class DiagnosticList {
    private(set) var all: [Diagnostic] = []

    func error(_ node: some SyntaxProtocol, _ text: String, _ fixes: [FixIt] = []) {
        add(node, .error, text, fixes)
    }

    func warning(_ node: some SyntaxProtocol, _ text: String, _ fixes: [FixIt] = []) {
        add(node, .warning, text, fixes)
    }

    /// An error with a fix-it that replaces the node.
    func replace(_ node: some SyntaxProtocol, with text: String, _ message: String) {
        error(node, message, [Self.fix("write '\(Self.readable(text))'", node, text)])
    }

    /// An error with a fix-it that replaces the mark, without its arguments.
    func rename(_ mark: AttributeSyntax, to text: String, _ message: String) {
        error(mark, message, [Self.fix("write '\(Self.readable(text))'", mark, text)])
    }

    static func placeholder(_ text: String) -> String { "<#\(text)#>" }

    /// Replaces a node by text; spaces and comments around it stay.
    static func fix(_ title: String, _ node: some SyntaxProtocol, _ text: String) -> FixIt {
        // Text instead of a tree, because the compiler parses it again.
        let token = TokenSyntax(
            .identifier(text), leadingTrivia: node.leadingTrivia, trailingTrivia: node.trailingTrivia,
            presence: .present)
        return FixIt(
            message: Message(text: title), changes: [.replace(oldNode: Syntax(node), newNode: Syntax(token))])
    }

    /// Removes a node with the space after it.
    static func removal(_ title: String, _ node: some SyntaxProtocol) -> FixIt {
        let nothing = TokenSyntax(.identifier(""), leadingTrivia: node.leadingTrivia, presence: .present)
        return FixIt(
            message: Message(text: title), changes: [.replace(oldNode: Syntax(node), newNode: Syntax(nothing))])
    }

    private func add(
        _ node: some SyntaxProtocol, _ severity: DiagnosticSeverity, _ text: String, _ fixes: [FixIt]
    ) {
        all.append(Diagnostic(node: node, message: Message(text: text, severity: severity), fixIts: fixes))
    }

    private static func readable(_ text: String) -> String {
        text.replacing("<#", with: "").replacing("#>", with: "")
    }
}

private struct Message: DiagnosticMessage, FixItMessage {
    let message: String
    var severity = DiagnosticSeverity.error

    init(text: String, severity: DiagnosticSeverity = .error) {
        message = text
        self.severity = severity
    }

    var diagnosticID: MessageID { MessageID(domain: "CoreDataMacros", id: "ManagedObject") }
    var fixItID: MessageID { diagnosticID }
}
