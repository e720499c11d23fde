// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Rewrites code that compiles without Objective-C and fails at run time.

extension PortedFile {
    /// `Car.fetchRequest() as! NSFetchRequest<Car>` traps: without Objective-C a request has a fixed result type, and
    /// `fetchRequest()` returns a different one.
    mutating func replaceRequestCasts() {
        for index in tokens.indices
        where isForcedCastToRequest(index) && !isGuarded[index] && !settled.contains(index) {
            let close = closingAngle(index + 3)
            let result = text(tokens[index + 4].range.lowerBound..<tokens[close].range.lowerBound)
            if result == "NSFetchRequestResult" || result == "any NSFetchRequestResult" {
                warn(index, "This cast traps here unless the request is of that very type: pass the request as it is.")
                continue
            }
            guard let (start, owner) = fetchRequestCall(endingAt: index - 1) else {
                warn(index, "This cast traps here unless the request is of that very type: make the request as one.")
                continue
            }
            replace(
                tokens[start].range.lowerBound..<tokens[close].range.upperBound,
                "NSFetchRequest<\(result)>(entityName: \(owner)entity().name!)")
        }
    }

    /// `model.fetchRequestFromTemplate(…) as? NSFetchRequest<Car>` is nil here for the same reason. A request with the
    /// settings of the template takes its place; a mark behind `as` says whether the result is optional.
    mutating func replaceTemplateCasts() {
        for index in tokens.indices where !isGuarded[index] && `is`(index, "as") {
            guard `is`(index + 2, "NSFetchRequest"), `is`(index + 3, "<"), tokens.indices.contains(index + 4) else {
                continue
            }
            let close = closingAngle(index + 3)
            let result = text(tokens[index + 4].range.lowerBound..<tokens[close].range.lowerBound)
            guard !result.hasSuffix("NSFetchRequestResult") else { continue }
            // `a?.b()!` is an optional, and `a?.b() as! C` is none.
            let isForced = `is`(index + 1, "!")
            if let name = template(endingAt: index - 1), `is`(index + 1, "?") || isForced && !isChained(before: name) {
                let mark = isForced ? "!" : ""
                replace(
                    tokens[index - 1].range.upperBound..<tokens[close].range.upperBound,
                    Self.typedTemplate(result, indent: indent(at: tokens[index].range.lowerBound)) + mark)
                settled.insert(index)
            } else if `is`(index + 1, "?") {
                warn(index, "This cast is nil here: fetch with the request as it is, and cast the array of objects.")
            }
        }
    }

    /// The name in `fetchRequestFromTemplate(…)` and `fetchRequestTemplate(…)`.
    private func template(endingAt index: Int) -> Int? {
        guard `is`(index, ")"), let open = opening(of: index), open > 0 else { return nil }
        let isTemplate = ["fetchRequestFromTemplate", "fetchRequestTemplate"].contains(tokens[open - 1].text)
        return isTemplate ? open - 1 : nil
    }

    /// Whether a `?` stands among the members and calls before a name.
    private func isChained(before name: Int) -> Bool {
        var at = name - 1
        while at >= 0, tokens[at].kind == .word || [".", "?", "!", ")"].contains(tokens[at].text) {
            if `is`(at, "?") { return true }
            at = `is`(at, ")") ? (opening(of: at) ?? 0) - 1 : at - 1
        }
        return false
    }

    private func opening(of close: Int) -> Int? {
        tokens[..<close].indices.last { `is`($0, "(") && behind($0) == close + 1 }
    }

    private static func typedTemplate(_ result: String, indent: String) -> String {
        let lines = [
            ".map({ template -> NSFetchRequest<\(result)> in",
            "    let request = NSFetchRequest<\(result)>(entityName: template.entityName!)",
            "    request.predicate = template.predicate",
            "    request.sortDescriptors = template.sortDescriptors",
            "    request.fetchLimit = template.fetchLimit",
            "    request.fetchBatchSize = template.fetchBatchSize",
            "    request.includesSubentities = template.includesSubentities",
            "    return request",
            "})",
        ]
        return lines.joined(separator: "\n" + indent)
    }

    /// `as ! NSFetchRequest <`
    private func isForcedCastToRequest(_ index: Int) -> Bool {
        `is`(index, "as") && `is`(index + 1, "!") && `is`(index + 2, "NSFetchRequest") && `is`(index + 3, "<")
            && tokens.indices.contains(index + 4)
    }

    private func closingAngle(_ open: Int) -> Int {
        var (depth, at) = (0, open)
        repeat {
            if `is`(at, "<") { depth += 1 }
            if `is`(at, ">") { depth -= 1 }
            at += 1
        } while depth > 0 && at < tokens.count
        return at - 1
    }

    /// `Car.fetchRequest()` or `fetchRequest()`, and the text before the name.
    private func fetchRequestCall(endingAt index: Int) -> (start: Int, owner: String)? {
        guard `is`(index, ")"), `is`(index - 1, "("), `is`(index - 2, "fetchRequest") else { return nil }
        guard `is`(index - 3, ".") else { return (index - 2, "") }
        guard index > 3, tokens[index - 4].kind == .word, !`is`(index - 5, ".") else { return nil }
        return (index - 4, "\(tokens[index - 4].text).")
    }

    /// `keyPath._kvcKeyPathString!` is nil without Objective-C. An expression knows the name on both systems.
    mutating func replaceKeyPathStrings() {
        for index in tokens.indices where `is`(index, "_kvcKeyPathString") && `is`(index - 1, ".") && !isGuarded[index]
        {
            guard `is`(index + 1, "!"), let start = simpleValue(endingAt: index - 2) else {
                warn(
                    index, "_kvcKeyPathString is always nil here: write NSExpression(forKeyPath:).keyPath, the name.")
                continue
            }
            let path = text(tokens[start].range.lowerBound..<tokens[index - 2].range.upperBound)
            let range = tokens[start].range.lowerBound..<tokens[index + 1].range.upperBound
            let argument = path.hasPrefix("(") ? String(path.dropFirst().dropLast()) : path
            replace(range, "NSExpression(forKeyPath: \(argument)).keyPath")
            addedNames.insert("NSExpression")
        }
    }

    /// A simple name, or a value in parentheses.
    private func simpleValue(endingAt index: Int) -> Int? {
        guard tokens.indices.contains(index) else { return nil }
        if tokens[index].kind == .word { return `is`(index - 1, ".") ? nil : index }
        guard `is`(index, ")") else { return nil }
        guard let open = opening(of: index), `is`(open + 1, "\\")
        else { return nil }
        let isArgumentList =
            open > 0 && tokens[open - 1].kind == .word && !tokens[open].startsLine
            && !Self.words.contains(tokens[open - 1].text)
        return isArgumentList ? nil : open
    }

    private static let words: Set<String> = ["return", "in", "try", "await", "else"]
}
