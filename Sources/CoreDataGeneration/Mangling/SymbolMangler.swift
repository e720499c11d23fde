// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Computes the symbol names of properties and methods of classes.

import Foundation

/// Mangles one symbol name, as described in the compiler's `docs/ABI/Mangling.rst`.
///
/// # Substitutions
/// 1. A repeated declaration or generic type is `A` and its number (`AA`, `AB`, …, `A_`, `A0_`); modules, names and
/// types each have a number. Adjacent substitutions are merged: `AaB`, `A2B`.
/// 2. The common types of the standard library are `S` and a letter (`SS`, `Si`, `Sa`); adjacent equal ones
/// are merged: `S2S`.
/// 3. A repeated word within names is a letter: `0A` and so on.
struct SymbolMangler {
    private var buffer: [UInt8] = []
    private var numbers: [Substitution: Int] = [:]
    private var words: [Range<Int>] = []
    private var lastSubstitution = LastSubstitution()
    /// The new words of the current name, as ranges in the name, and their positions in the buffer.
    private var pending: [Range<Int>] = []
    private var placed: [Int: Range<Int>] = [:]

    private enum Substitution: Hashable {
        case name(String)
        case declaration(MangledDeclaration)
        case type(MangledType)
    }

    private struct LastSubstitution {
        var position = 0
        var size = 0
        var count = 0
        var isStandard = false
    }

    private init() { buffer = Array("$s".utf8) }

    private var name: String { String(decoding: buffer, as: UTF8.self) }

    /// The declaration that contains a member.
    struct Context {
        var type: MangledDeclaration
        /// The module of the extension, if it differs from the type's.
        var extensionModule: String?
    }

    /// - Parameter discriminator: the discriminator of the file, for a private property.
    static func property(
        _ property: String, of context: Context, type: MangledType, discriminator: String?
    ) -> (getter: String, setter: String) {
        var mangler = SymbolMangler()
        mangler.append(context)
        mangler.append(member: property, discriminator)
        mangler.append(type)
        mangler.append("v")
        return (mangler.name + "g", mangler.name + "s")
    }

    /// - Parameters:
    ///   - parameters: labels, nil for `_`, and types.
    ///   - result: nil for no result.
    static func method(
        _ method: String, of context: Context, parameters: [(label: String?, type: MangledType)], result: MangledType?,
        discriminator: String?
    ) -> String {
        var mangler = SymbolMangler()
        mangler.append(context)
        mangler.append(member: method, discriminator)
        if !parameters.isEmpty {
            if parameters.allSatisfy({ $0.label == nil }) {
                mangler.append("y")
            } else {
                for (label, _) in parameters {
                    if let label { mangler.append(name: label) } else { mangler.append("_") }
                }
            }
        }
        if let result { mangler.append(result) } else { mangler.append("y") }
        mangler.append(parameters)
        mangler.append("F")
        return mangler.name
    }

    // MARK: Declarations

    private mutating func append(_ text: String) { buffer += Array(text.utf8) }

    private mutating func append(_ context: Context) {
        append(declaration: context.type)
        if let module = context.extensionModule, module != context.type.module {
            append(module: module)
            append("E")
        }
    }

    private mutating func append(member: String, _ discriminator: String?) {
        append(name: member)
        if let discriminator {
            append(name: discriminator)
            append("LL")
        }
    }

    private mutating func append(_ parameters: [(label: String?, type: MangledType)]) {
        guard let first = parameters.first else { return append("y") }
        append(first.type)
        if parameters.count == 1, first.label == nil { return }
        append("_")
        for parameter in parameters.dropFirst() { append(parameter.type) }
        append("t")
    }

    private mutating func append(module: String) {
        if module == "Swift" { append("s") } else { append(name: module) }
    }

    private mutating func append(declaration: MangledDeclaration) {
        var declaration = declaration
        declaration.standIn = nil  // not part of the name
        if appendStandard(declaration) || appendKnown(.declaration(declaration)) { return }
        var outer = declaration
        let last = outer.steps.removeLast()
        if outer.steps.isEmpty { append(module: outer.module) } else { append(declaration: outer) }
        append(member: last.name, last.discriminator)
        append(String(last.kind))
        number(.declaration(declaration))
    }

    // MARK: Types

    private mutating func append(_ type: MangledType) {
        switch type {
        case .nominal(let declaration): append(declaration: declaration)
        case .any: append("yp")
        case .anyObject: append("yXl")
        case .parameter(0, 0, _): append("x")
        case .parameter(0, let index, _): append("q\(Self.index(index - 1))")
        case .parameter(let depth, let index, _): append("qd\(Self.index(depth - 1))\(Self.index(index))")
        case .existential(let declaration):
            if appendKnown(.type(type)) { return }
            appendProtocol(declaration)
            append("_p")
            number(.type(type))
        case .optional(let wrapped):
            if appendKnown(.type(type)) { return }
            append(wrapped)
            append("Sg")
            number(.type(type))
        case .generic(let declaration, let arguments):
            if appendKnown(.type(type)) { return }
            append(declaration: declaration)
            for (level, list) in arguments.enumerated() {
                append(level == 0 ? "y" : "_")
                for argument in list { append(argument) }
            }
            append("G")
            number(.type(type))
        }
    }

    /// In an existential type a protocol has no letter for its kind.
    private mutating func appendProtocol(_ declaration: MangledDeclaration) {
        if appendKnown(.declaration(declaration)) { return }
        append(module: declaration.module)
        for step in declaration.steps { append(name: step.name) }
        number(.declaration(declaration))
    }

    private static func index(_ number: Int) -> String { number == 0 ? "_" : "\(number - 1)_" }

    // MARK: Substitutions (1, 2)

    private mutating func number(_ thing: Substitution) { numbers[thing] = numbers.count }

    private mutating func appendKnown(_ thing: Substitution) -> Bool {
        guard let number = numbers[thing] else { return false }
        if number >= 26 {
            append("A")
            append(number == 26 ? "_" : "\(number - 27)_")
        } else {
            let letter = UInt8(ascii: "A") + UInt8(number)
            if !merge(letter, isStandard: false) { buffer += [UInt8(ascii: "A"), letter] }
        }
        return true
    }

    private mutating func appendStandard(_ declaration: MangledDeclaration) -> Bool {
        guard declaration.module == "Swift", declaration.steps.count == 1,
            let letter = Self.standard[declaration.steps[0].name]
        else { return false }
        if !merge(letter, isStandard: true) { buffer += [UInt8(ascii: "S"), letter] }
        return true
    }

    private static let standard: [String: UInt8] = [
        "Array": "a", "Bool": "b", "Dictionary": "D", "Double": "d", "Float": "f", "Set": "h", "Int": "i",
        "Character": "J",
        "ClosedRange": "N", "Range": "n", "String": "S", "Substring": "s", "UInt": "u",
    ].mapValues { (letter: Unicode.Scalar) in UInt8(ascii: letter) }

    /// Merges a substitution with the previous one; false if that is impossible.
    private mutating func merge(_ letter: UInt8, isStandard: Bool) -> Bool {
        if lastSubstitution.count > 0, buffer.count == lastSubstitution.position + lastSubstitution.size,
            lastSubstitution.isStandard == isStandard,
            let last = buffer.last
        {
            if last != letter, !isStandard {
                buffer[buffer.count - 1] = last + 32
                lastSubstitution.position = buffer.count
                lastSubstitution.size = 1
                lastSubstitution.count = 1
                buffer.append(letter)
                return true
            }
            if last == letter {
                lastSubstitution.count += 1
                buffer.removeSubrange(lastSubstitution.position...)
                append("\(lastSubstitution.count)")
                buffer.append(letter)
                lastSubstitution.size = buffer.count - lastSubstitution.position
                return true
            }
        }
        lastSubstitution = LastSubstitution(position: buffer.count + 1, size: 1, count: 1, isStandard: isStandard)
        return false
    }
}

// MARK: Names (3)

extension SymbolMangler {
    private mutating func append(name: String) {
        if appendKnown(.name(name)) { return }
        number(.name(name))
        let bytes = Array(name.utf8)
        if bytes.contains(where: { $0 >= 0x80 }) { return appendEncoded(name) }
        let pieces = substitutedWords(bytes)
        if !pieces.isEmpty { append("0") }
        var at = 0
        for (index, piece) in pieces.enumerated() {
            appendLetters(bytes, at, piece.start)
            at = piece.start + words[piece.word].count
            let isLast = index == pieces.count - 1
            buffer.append(UInt8(ascii: isLast ? "A" : "a") + UInt8(piece.word))
            if isLast, at == bytes.count { append("0") }
        }
        appendLetters(bytes, at, bytes.count)
        moveNewWords()
    }

    /// A part of a name: a repeated word or new letters.
    private struct Piece {
        var start: Int
        var word: Int
    }

    private mutating func substitutedWords(_ bytes: [UInt8]) -> [Piece] {
        let known = words.count
        var fresh: [Range<Int>] = []
        var pieces: [Piece] = []
        var start: Int?
        for at in 0...bytes.count {
            let byte = at < bytes.count ? bytes[at] : 0
            if let begin = start, Self.endsWord(byte, after: bytes[at - 1]) {
                let word = bytes[begin..<at]
                if let found = words[..<known].firstIndex(where: { buffer[$0].elementsEqual(word) }) {
                    pieces.append(Piece(start: begin, word: found))
                } else if let found = fresh.firstIndex(where: { bytes[$0].elementsEqual(word) }) {
                    pieces.append(Piece(start: begin, word: known + found))
                } else if word.count >= 2, known + fresh.count < 26 {
                    fresh.append(begin..<at)
                }
                start = nil
            }
            if start == nil, Self.startsWord(byte) { start = at }
        }
        pending = fresh
        words += fresh
        return pieces
    }

    /// Writes a part of the name without substitution, and records the positions of new words.
    private mutating func appendLetters(_ bytes: [UInt8], _ start: Int, _ end: Int) {
        guard start < end else { return }
        append("\(end - start)")
        let offset = buffer.count - start
        buffer += bytes[start..<end]
        for index in pending.indices where pending[index].lowerBound >= start && pending[index].upperBound <= end {
            placed[words.count - pending.count + index] =
                (pending[index].lowerBound + offset)..<(pending[index].upperBound + offset)
        }
    }

    private mutating func moveNewWords() {
        for (index, range) in placed { words[index] = range }
        placed = [:]
        pending = []
    }

    private static func startsWord(_ byte: UInt8) -> Bool {
        !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) && byte != UInt8(ascii: "_") && byte != 0
    }

    private static func endsWord(_ byte: UInt8, after last: UInt8) -> Bool {
        let upper = UInt8(ascii: "A")...UInt8(ascii: "Z")
        return byte == UInt8(ascii: "_") || byte == 0 || !upper.contains(last) && upper.contains(byte)
    }

    /// Encodes names beyond ASCII in the compiler's variant of Punycode.
    private mutating func appendEncoded(_ name: String) {
        let encoded = Punycode.encode(name)
        append("00\(encoded.utf8.count)")
        if let first = encoded.utf8.first, first == UInt8(ascii: "_") || (0x30...0x39).contains(first) { append("_") }
        append(encoded)
    }
}
