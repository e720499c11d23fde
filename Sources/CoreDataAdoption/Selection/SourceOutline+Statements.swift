// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Finds the statements of a body, so that one of them can be cut in place of its function.

import CoreDataGeneration

extension SourceOutline {
    /// The tokens of the innermost statement at a token of a declaration; nil at a token that is in no body, or in the
    /// signature of a closure or the label of a case.
    func statement(at index: Int, in declaration: OutlineDeclaration) -> Range<Int>? {
        body(at: index, in: declaration).flatMap { statements(in: $0).first { $0.contains(index) } }
    }

    /// The tokens inside of the innermost braces around a token of a declaration.
    func body(at index: Int, in declaration: OutlineDeclaration) -> Range<Int>? {
        guard declaration.tokens.contains(index) else { return nil }
        var open: [Int] = []
        for at in declaration.tokens.lowerBound..<index where tokens[at].kind == .sign {
            if tokens[at].text == "{" { open.append(at) }
            if tokens[at].text == "}" { _ = open.popLast() }
        }
        guard let start = open.last else { return nil }
        let end = closing(start, declaration.tokens.upperBound) - 1
        return start + 1 <= end ? start + 1..<end : nil
    }

    /// The statements between braces. Labels of cases and signatures of closures belong to none of them.
    func statements(in body: Range<Int>) -> [Range<Int>] {
        var found: [Range<Int>] = []
        var at = afterSignature(body)
        while at < body.upperBound {
            if tokens[at].is(";") || tokens[at].is(",") {
                at += 1
            } else if tokens[at].is("case")
                || tokens[at].is("default") && at + 1 < body.upperBound && tokens[at + 1].is(":")
            {
                at = afterLabel(at, body.upperBound)
            } else {
                let end = max(end(at, body.upperBound), at + 1)
                found.append(at..<end)
                at = end
            }
        }
        return found
    }

    /// The token after `[weak self] value, error in`; the first one of a body without a signature.
    private func afterSignature(_ body: Range<Int>) -> Int {
        var at = body.lowerBound
        while at < body.upperBound, at == body.lowerBound || !tokens[at].startsLine {
            if tokens[at].is("for") || tokens[at].is("{") { break }
            if tokens[at].is("in") { return at + 1 }
            at = tokens[at].is("(") || tokens[at].is("[") ? closing(at, body.upperBound) : at + 1
        }
        return body.lowerBound
    }

    private func afterLabel(_ start: Int, _ limit: Int) -> Int {
        var at = start
        while at < limit {
            if tokens[at].is(":") { return at + 1 }
            at = tokens[at].is("(") || tokens[at].is("[") || tokens[at].is("{") ? closing(at, limit) : at + 1
        }
        return limit
    }
}
