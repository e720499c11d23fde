// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Rewrites observers of notifications, which use selectors on Apple's systems, as blocks.

extension PortedFile {
    /// A statement `center.addObserver(self, selector: #selector(method(_:)), name: …, object: …)` is kept for Apple's
    /// systems and receives a block beside it. This requires a method in this file that is neither asynchronous nor
    /// throwing, and takes the notification or nothing. Other statements are reported like any `#selector`.
    mutating func replaceObservers() {
        for index in tokens.indices where `is`(index, "addObserver") && `is`(index + 1, "(") && !isGuarded[index] {
            guard let statement = observerStatement(index) else { continue }
            settled.formUnion(statement.tokens)
            let range =
                tokens[statement.tokens.lowerBound].range
                .lowerBound..<tokens[statement.tokens.upperBound - 1].range.upperBound
            let indent = indent(at: range.lowerBound)
            let lines = [
                "#if canImport(ObjectiveC)",
                "\(indent)    \(text(range))",
                "\(indent)#else",
                "\(indent)    _ = \(statement.center).addObserver(forName: \(statement.name), object: \(statement.object), queue: nil) {",
                "\(indent)        [weak self] \(statement.takesNotification ? "notification" : "_") in",
                "\(indent)        self?.\(statement.method)(\(statement.takesNotification ? "notification" : ""))",
                "\(indent)    }",
                "\(indent)#endif",
            ]
            replace(range, lines.joined(separator: "\n"))
        }
    }

    private struct ObserverStatement {
        let tokens: Range<Int>
        let center: String
        let method: String
        let takesNotification: Bool
        let name: String
        let object: String
    }

    private func observerStatement(_ index: Int) -> ObserverStatement? {
        let end = behind(index + 1)
        var start = index
        while start > 0, !tokens[start].startsLine { start -= 1 }
        let chain = tokens[start..<index].allSatisfy { $0.kind == .word || $0.is(".") }
        guard start < index - 1, chain, `is`(index - 1, "."), end == tokens.count || tokens[end].startsLine else {
            return nil
        }
        let parts = arguments(index + 1)
        guard parts.count == 4, parts[0].count == 1, `is`(parts[0].lowerBound, "self"),
            let method = selectedMethod(parts[1]), let takesNotification = plainMethods[method],
            let name = value(of: parts[2], labelled: "name"), let object = value(of: parts[3], labelled: "object")
        else { return nil }
        return ObserverStatement(
            tokens: start..<end, center: text(tokens[start].range.lowerBound..<tokens[index - 2].range.upperBound),
            method: method, takesNotification: takesNotification, name: name, object: object)
    }

    /// The tokens of each argument of the list that starts at `open`.
    private func arguments(_ open: Int) -> [Range<Int>] {
        let close = behind(open) - 1
        var found: [Range<Int>] = []
        var (start, at) = (open + 1, open + 1)
        while at < close {
            if `is`(at, ",") {
                found.append(start..<at)
                start = at + 1
            }
            at = behind(at)
        }
        return start < close ? found + [start..<close] : found
    }

    private func value(of part: Range<Int>, labelled label: String) -> String? {
        guard part.count > 2, `is`(part.lowerBound, label), `is`(part.lowerBound + 1, ":") else { return nil }
        return text(tokens[part.lowerBound + 2].range.lowerBound..<tokens[part.upperBound - 1].range.upperBound)
    }

    /// `selector: #selector(Owner.method(_:))`
    private func selectedMethod(_ part: Range<Int>) -> String? {
        let first = part.lowerBound
        guard part.count > 5, `is`(first, "selector"), `is`(first + 2, "#"), `is`(first + 3, "selector"),
            `is`(first + 4, "(")
        else { return nil }
        return tokens[(first + 5)..<part.upperBound].last { $0.kind == .word && !$0.is("_") }?.text
    }

    /// Methods of this file by name, and whether they take a notification. Excludes overloaded ones.
    private var plainMethods: [String: Bool] {
        var found: [String: Bool] = [:]
        var seen: Set<String> = []
        for index in tokens.indices where `is`(index, "func") && `is`(index + 2, "(") {
            let name = tokens[index + 1].text
            found[name] = seen.insert(name).inserted ? takesNotification(index + 2) : nil
        }
        return found
    }

    /// nil for a list of other parameters, and for an unsuitable method.
    private func takesNotification(_ open: Int) -> Bool? {
        let end = behind(open)
        guard `is`(end, "{") else { return nil }
        let list = tokens[(open + 1)..<(end - 1)]
        if list.isEmpty { return false }
        let isNotification = list.last.map { $0.is("Notification") || $0.is("NSNotification") } ?? false
        return `is`(open + 1, "_") && isNotification && !list.contains { $0.is(",") } ? true : nil
    }
}
