// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Makes texts that match a regular expression.

/// A regular expression, read as a plan for texts that match it.
///
/// Understood are characters, `.`, escapes (`\d \w \s \D \W`, `\.`), classes (`[A-Z0-9_]`, negated ones over ASCII),
/// groups with and without a number, alternatives, `? * + {n} {n,} {n,m}`, lazy and possessive forms of these, and
/// the anchors `^`, `$`, `\A` and `\z` at the ends. Everything else, such as look-arounds, references and properties,
/// makes the initializer return nil.
struct PatternText {
    private indirect enum Node {
        case characters([Unicode.Scalar])
        case sequence([Node])
        case choice([Node])
        case repetition(Node, ClosedRange<Int>)
    }

    private let root: Node

    init?(_ pattern: String) {
        var reader = Reader(Array(pattern.unicodeScalars))
        guard let node = reader.choice(depth: 0), reader.isAtEnd else { return nil }
        root = node
    }

    /// A text that matches.
    ///
    /// - Parameter more: the number of repetitions beyond the least one where the pattern has no limit.
    func text(_ numbers: inout FixtureNumbers, more: Int = 3) -> String {
        var text = String.UnicodeScalarView()
        Self.append(root, to: &text, &numbers, more)
        return String(text)
    }

    private static func append(
        _ node: Node, to text: inout String.UnicodeScalarView, _ numbers: inout FixtureNumbers, _ more: Int
    ) {
        switch node {
        case .characters(let scalars): text.append(numbers.one(of: scalars))
        case .sequence(let nodes): for node in nodes { append(node, to: &text, &numbers, more) }
        case .choice(let nodes): append(numbers.one(of: nodes), to: &text, &numbers, more)
        case .repetition(let node, let range):
            let most = range.upperBound == .max ? range.lowerBound + more : range.upperBound
            for _ in 0..<(range.lowerBound + numbers.below(most - range.lowerBound + 1)) {
                append(node, to: &text, &numbers, more)
            }
        }
    }

    // MARK: Reading

    private struct Reader {
        private let scalars: [Unicode.Scalar]
        private var position = 0
        private static let letters = scalars("a"..."z") + scalars("A"..."Z")
        private static let digits = scalars("0"..."9")
        private static let words = letters + digits + ["_"]
        private static let printable = scalars(" "..."~")

        init(_ scalars: [Unicode.Scalar]) { self.scalars = scalars }

        private static func scalars(_ range: ClosedRange<Unicode.Scalar>) -> [Unicode.Scalar] {
            (range.lowerBound.value...range.upperBound.value).compactMap(Unicode.Scalar.init)
        }

        var isAtEnd: Bool { position == scalars.count }
        private var next: Unicode.Scalar? { isAtEnd ? nil : scalars[position] }

        private mutating func take(_ scalar: Unicode.Scalar) -> Bool {
            guard next == scalar else { return false }
            position += 1
            return true
        }

        mutating func choice(depth: Int) -> Node? {
            guard depth < 32 else { return nil }
            var branches: [Node] = []
            repeat {
                guard let branch = sequence(depth) else { return nil }
                branches.append(branch)
            } while take("|")
            return branches.count == 1 ? branches[0] : .choice(branches)
        }

        private mutating func sequence(_ depth: Int) -> Node? {
            var nodes: [Node] = []
            while let scalar = next, scalar != "|", scalar != ")" {
                if scalar == "^" {
                    // An anchor inside of a text never matches.
                    guard nodes.isEmpty else { return nil }
                    position += 1
                    continue
                }
                if scalar == "$" {
                    position += 1
                    guard next == nil || next == "|" || next == ")" else { return nil }
                    continue
                }
                if scalar == "\\", position + 1 < scalars.count, ["A", "z", "Z"].contains(scalars[position + 1]) {
                    position += 2
                    continue
                }
                guard let atom = atom(depth), let repeated = repetition(atom) else { return nil }
                nodes.append(repeated)
            }
            return .sequence(nodes)
        }

        private mutating func atom(_ depth: Int) -> Node? {
            guard let scalar = next else { return nil }
            position += 1
            switch scalar {
            case "(":
                if take("?") {
                    // Only groups without a number: look-arounds and options begin with other characters.
                    guard take(":") else { return nil }
                }
                guard let inner = choice(depth: depth + 1), take(")") else { return nil }
                return inner
            case "[": return characterClass().map { .characters($0) }
            case ".": return .characters(Self.letters + Self.digits)
            case "\\": return escaped().map { .characters($0) }
            case "*", "+", "?", "{": return nil
            default: return .characters([scalar])
            }
        }

        /// The characters of an escape.
        private mutating func escaped() -> [Unicode.Scalar]? {
            guard let scalar = next else { return nil }
            position += 1
            switch scalar {
            case "d": return Self.digits
            case "D": return Self.letters
            case "w": return Self.words
            case "W": return [" ", "-", ".", "!"]
            case "s": return [" "]
            case "S": return Self.letters + Self.digits
            case "n": return ["\n"]
            case "t": return ["\t"]
            case "r": return ["\r"]
            default: return Self.words.contains(scalar) ? nil : [scalar]
            }
        }

        private mutating func characterClass() -> [Unicode.Scalar]? {
            let isNegated = take("^")
            var found: [Unicode.Scalar] = []
            var isFirst = true
            while let scalar = next, scalar != "]" || isFirst {
                isFirst = false
                position += 1
                // A class inside of a class, and set operations.
                if scalar == "[" || (scalar == "&" && next == "&") { return nil }
                if scalar == "\\" {
                    guard let characters = escaped() else { return nil }
                    found += characters
                    continue
                }
                if next == "-", position + 1 < scalars.count, scalars[position + 1] != "]" {
                    position += 1
                    let end = scalars[position]
                    position += 1
                    guard end != "\\", scalar <= end, end.value - scalar.value < 2000 else { return nil }
                    found += Self.scalars(scalar...end)
                } else {
                    found.append(scalar)
                }
            }
            guard take("]") else { return nil }
            if isNegated { found = Self.printable.filter { !found.contains($0) } }
            return found.isEmpty ? nil : found
        }

        private mutating func repetition(_ node: Node) -> Node? {
            let range: ClosedRange<Int>
            switch next {
            case "*": range = 0...Int.max
            case "+": range = 1...Int.max
            case "?": range = 0...1
            case "{":
                position += 1
                guard let least = number() else { return nil }
                var most = least
                if take(",") { most = number() ?? Int.max }
                guard next == "}", least <= most, least < 10_000 else { return nil }
                range = least...most
            default: return node
            }
            position += 1
            if !take("?") { _ = take("+") }
            return .repetition(node, range)
        }

        private mutating func number() -> Int? {
            var digits = ""
            while let scalar = next, Self.digits.contains(scalar) {
                digits.unicodeScalars.append(scalar)
                position += 1
            }
            return Int(digits)
        }
    }
}
