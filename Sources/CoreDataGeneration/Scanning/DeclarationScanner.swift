// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Finds the declarations in one source file.

import Foundation

/// Reads declarations and skips everything else: function bodies, values, closures.
struct DeclarationScanner {
    private let tokens: [SwiftToken]
    private let file: String
    private var at = 0
    private var conditions: [[String]] = []
    private var found = SourceDeclarations()
    /// The types around the current position; `access` is the lowest of their access levels.
    private struct Place {
        var path: String
        var isExtension: Bool
        var access: SourceAccess
        /// The access level of members without a modifier.
        var memberAccess: SourceAccess
        var isGeneric: Bool
        /// Whether this is, or is in, a constrained extension of a generic type.
        var isConstrained: Bool
    }

    static func scan(_ bytes: [UInt8], file: String) -> SourceDeclarations {
        var scanner = DeclarationScanner(SwiftLexer.tokens(bytes), file)
        scanner.members(of: nil)
        return scanner.found
    }

    private init(_ tokens: [SwiftToken], _ file: String) {
        self.tokens = tokens
        self.file = file
    }

    private var token: SwiftToken? { at < tokens.count ? tokens[at] : nil }

    private func peek(_ offset: Int) -> SwiftToken? { at + offset < tokens.count ? tokens[at + offset] : nil }

    // MARK: Members

    /// The attributes and modifiers before a declaration.
    private struct Head {
        var isManaged = false
        var selector: String?
        var access: SourceAccess?
        var setterAccess: SourceAccess?
        var line = 0
    }

    private mutating func members(of place: Place?) {
        var head = Head()
        while let token {
            if token.kind == .directive {
                follow(token.text)
                at += 1
                continue
            }
            if token.is("}") { return }
            if readHead(&head) { continue }
            switch token.text {
            case "class", "struct", "enum", "actor", "protocol", "extension":
                if token.kind == .word, peek(1)?.kind == .word, !isMemberWord(peek(1)) {
                    declaration(token.text, head, in: place)
                } else {
                    at += 1
                    continue
                }
            case "typealias": alias(in: place)
            case "case" where place != nil: caseNames(in: place)
            case "var" where head.isManaged: managedProperties(head, in: place)
            case "func" where head.isManaged: managedMethod(head, in: place)
            case "{": body()
            case "(", "[": skipBalanced()
            default: at += 1
            }
            head = Head()
        }
    }

    /// `class func` and `class var` start a member, not a type.
    private func isMemberWord(_ token: SwiftToken?) -> Bool {
        guard let token else { return false }
        return ["func", "var", "let", "subscript", "override", "final", "private", "public", "internal", "open"]
            .contains(token.text)
    }

    /// Reads one attribute or modifier; false if the next token begins neither.
    private mutating func readHead(_ head: inout Head) -> Bool {
        guard let token else { return false }
        if token.is("@"), let name = peek(1) {
            if head.line == 0 { head.line = token.line }
            at += 2
            while self.token?.is(".") == true { at += 2 }
            let arguments = at
            if self.token?.is("(") == true, self.token?.startsLine == false { skipBalanced() }
            if name.is("NSManaged") { head.isManaged = true }
            if name.is("objc"), at > arguments {
                head.selector = tokens[(arguments + 1)..<(at - 1)].map(\.text).joined()
            }
            return true
        }
        guard token.kind == .word else { return false }
        if let access = SourceAccess(word: token.text) {
            at += 1
            if self.token?.is("(") == true, peek(1)?.is("set") == true {
                head.setterAccess = access
                at += 3
            } else {
                head.access = access
            }
            return true
        }
        let modifiers: Set<String> = [
            "final", "override", "dynamic", "nonisolated", "required", "convenience", "weak", "unowned", "lazy",
            "indirect", "static", "mutating", "isolated",
        ]
        guard modifiers.contains(token.text) else { return false }
        at += 1
        if self.token?.is("(") == true, self.token?.startsLine == false { skipBalanced() }
        return true
    }

    // MARK: Types

    private mutating func declaration(_ word: String, _ head: Head, in place: Place?) {
        let line = tokens[at].line
        at += 1
        var name = ""
        while let token, token.kind == .word, !token.is("where") {
            name += name.isEmpty ? token.text : ".\(token.text)"
            at += 1
            guard self.token?.is(".") == true else { break }
            at += 1
        }
        let parameters = token?.is("<") == true ? genericParameters() : []
        let isGeneric = place?.isGeneric == true || !parameters.isEmpty
        let inherited = token?.is(":") == true ? inheritance() : []
        var isConstrained = false
        while let token, !token.is("{"), !token.is("}") {
            isConstrained = isConstrained || token.is("where")
            at += 1
        }
        guard token?.is("{") == true else { return }
        at += 1
        let isExtension = word == "extension"
        isConstrained = isExtension && (isConstrained || !parameters.isEmpty) || place?.isConstrained == true
        let access = min(head.access ?? (isExtension ? .open : .internal), place?.access ?? .open)
        let path = isExtension || place == nil ? name : "\(place?.path ?? "").\(name)"
        found.conformances[path, default: []].formUnion(inherited.compactMap(\.simpleName))
        if !isExtension {
            let kind: DeclaredType.Kind =
                switch word {
                case "struct": .struct
                case "enum": .enum
                case "protocol": .protocol
                default: .class
                }
            found.types.append(
                DeclaredType(
                    kind: kind, path: path, access: access, parameters: parameters, isGeneric: isGeneric,
                    inherited: inherited, conditions: conditions.flatMap { $0 }, objectiveCName: head.selector,
                    file: file, line: line))
        }
        members(
            of: Place(
                path: path, isExtension: isExtension, access: access,
                memberAccess: isExtension ? min(head.access ?? .internal, .public) : .internal,
                isGeneric: isGeneric, isConstrained: isConstrained))
        at += 1
    }

    private mutating func inheritance() -> [TypeSyntax] {
        var types: [TypeSyntax] = []
        repeat {
            at += 1
            var parser = TypeParser(tokens, at: at)
            types.append(parser.parse())
            at = parser.at
        } while token?.is(",") == true
        return types
    }

    private mutating func alias(in place: Place?) {
        at += 1
        guard let name = token, name.kind == .word else { return }
        at += 1
        guard token?.is("=") == true else { return }
        var parser = TypeParser(tokens, at: at + 1)
        let type = parser.parse()
        at = parser.at
        found.aliases.append(
            DeclaredAlias(path: place.map { "\($0.path).\(name.text)" } ?? name.text, type: type))
    }

    private mutating func caseNames(in place: Place?) {
        at += 1
        guard let name = token, name.kind == .word, let place,
            let index = found.types.lastIndex(where: { $0.path == place.path && $0.kind == .enum }),
            found.types[index].firstCase == nil
        else { return }
        found.types[index].firstCase = name.text
    }

    // MARK: Managed members

    private mutating func managedProperties(_ head: Head, in place: Place?) {
        repeat {
            at += 1
            guard let name = token, name.kind == .word else { return }
            at += 1
            guard token?.is(":") == true else { return unreachable(name.line) }
            var parser = TypeParser(tokens, at: at + 1)
            let type = parser.parse()
            at = parser.at
            guard let member = member(name, head, in: place) else { return unreachable(name.line) }
            found.properties.append(
                NSManagedProperty(
                    member: member, type: type, setterAccess: min(head.setterAccess ?? member.access, member.access)))
        } while token?.is(",") == true
    }

    private mutating func managedMethod(_ head: Head, in place: Place?) {
        at += 1
        guard let name = token, name.kind == .word else { return }
        at += 1
        guard token?.is("(") == true, let member = member(name, head, in: place) else { return unreachable(name.line) }
        at += 1
        var parameters: [NSManagedMethod.Parameter] = []
        while let label = token, !label.is(")") {
            at += 1
            if token?.kind == .word { at += 1 }
            guard token?.is(":") == true else { return unreachable(name.line) }
            var parser = TypeParser(tokens, at: at + 1)
            let type = parser.parse()
            at = parser.at
            parameters.append(NSManagedMethod.Parameter(label: label.is("_") ? nil : label.text, type: type))
            if token?.is(",") == true { at += 1 }
        }
        at += 1
        var result: TypeSyntax?
        if token?.is("-") == true, peek(1)?.is(">") == true {
            var parser = TypeParser(tokens, at: at + 2)
            result = parser.parse()
            at = parser.at
        }
        found.methods.append(
            NSManagedMethod(member: member, parameters: parameters, result: result, selector: head.selector))
    }

    /// nil if no extension can contain the accessor: at the top level, and in constrained extensions.
    private func member(_ name: SwiftToken, _ head: Head, in place: Place?) -> NSManagedMember? {
        guard let place, !place.isConstrained else { return nil }
        return NSManagedMember(
            owner: place.path, isInExtension: place.isExtension, name: name.text,
            access: min(head.access ?? place.memberAccess, head.access == nil ? place.access : .open),
            conditions: conditions.flatMap { $0 }, file: file, line: name.line)
    }

    private mutating func unreachable(_ line: Int) { found.unreachable.append((file, line)) }

    // MARK: Passing over

    /// The conditions around generated code: the negated ones of earlier branches, and the branch's own.
    private mutating func follow(_ directive: String) {
        let parts = directive.split(separator: " ", maxSplits: 1).map(String.init)
        let condition = parts.count > 1 ? parts[1] : "true"
        switch parts[0] {
        case "#if": conditions.append([condition])
        case "#endif": _ = conditions.popLast()
        default:
            guard var branch = conditions.popLast(), let last = branch.popLast() else { return }
            branch.append("!(\(last))")
            conditions.append(parts[0] == "#else" ? branch : branch + [condition])
        }
    }

    /// Skips a body. Its contents are invisible from outside.
    private mutating func body() {
        var depth = 0
        repeat {
            if token?.is("{") == true { depth += 1 }
            if token?.is("}") == true { depth -= 1 }
            if token?.kind == .directive { follow(tokens[at].text) }
            if token?.is("NSManaged") == true { unreachable(tokens[at].line) }
            at += 1
        } while depth > 0 && at < tokens.count
    }

    private mutating func skipBalanced() {
        var depth = 0
        repeat {
            if token?.is("(") == true || token?.is("[") == true { depth += 1 }
            if token?.is(")") == true || token?.is("]") == true { depth -= 1 }
            if token?.is("{") == true { body() } else { at += 1 }
        } while depth > 0 && at < tokens.count
    }

    /// Reads the names between angle brackets and skips the closing one.
    private mutating func genericParameters() -> [String] {
        var depth = 0
        var names: [String] = []
        repeat {
            if depth == 1, token?.kind == .word, tokens[at - 1].is("<") || tokens[at - 1].is(",") {
                names.append(tokens[at].text)
            }
            if token?.is("<") == true || token?.is("(") == true { depth += 1 }
            if token?.is(")") == true || token?.is(">") == true && !tokens[at - 1].is("-") { depth -= 1 }
            at += 1
        } while depth > 0 && at < tokens.count
        return names
    }
}
