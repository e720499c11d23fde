// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Matches the wildcards of LIKE: * for any characters, ? for one.

/// A pattern of LIKE. A backslash escapes the next character.
struct GlobPattern: Sendable {
    private enum Token: Sendable, Equatable {
        case any
        case one
        case scalar(UInt32)
    }

    private let tokens: [Token]

    init(_ pattern: String) {
        var tokens: [Token] = []
        var isEscaped = false
        for scalar in pattern.unicodeScalars {
            if isEscaped {
                tokens.append(.scalar(scalar.value))
                isEscaped = false
            } else if scalar == "\\" {
                isEscaped = true
            } else if scalar == "?" {
                tokens.append(.one)
            } else if scalar == "*" {
                if tokens.last != .any { tokens.append(.any) }
            } else {
                tokens.append(.scalar(scalar.value))
            }
        }
        if isEscaped { tokens.append(.scalar(92)) }
        self.tokens = tokens
    }

    func matches(_ text: UnsafeBufferPointer<UInt8>, lowercased: Bool) -> Bool {
        if StringFolding.isASCII(text) {
            return lowercased
                ? matches(count: text.count) { UInt32(StringFolding.lowercase(text[$0])) }
                : matches(count: text.count) { UInt32(text[$0]) }
        }
        let scalars = String(decoding: text, as: UTF8.self).unicodeScalars.map(\.value)
        return matches(count: scalars.count) { scalars[$0] }
    }

    // Backtracking to the last star is sufficient: an earlier one could only match less. Neither recursion
    // nor exponential time.
    private func matches(count: Int, _ scalar: (Int) -> UInt32) -> Bool {
        var (index, token) = (0, 0)
        var star: (token: Int, index: Int)?
        while index < count {
            if token < tokens.count, tokens[token] == .any {
                star = (token, index)
                token += 1
            } else if token < tokens.count, tokens[token] == .one || tokens[token] == .scalar(scalar(index)) {
                index += 1
                token += 1
            } else if let last = star {
                star = (last.token, last.index + 1)
                index = last.index + 1
                token = last.token + 1
            } else {
                return false
            }
        }
        return tokens[token...].allSatisfy { $0 == .any }
    }
}
