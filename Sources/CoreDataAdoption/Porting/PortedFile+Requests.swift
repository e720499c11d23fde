// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Rewrites code that compiles without Objective-C but fails at run time.

import CoreDataGeneration

extension PortedFile {
    /// `Car.fetchRequest() as! NSFetchRequest<Car>` traps: without Objective-C a request has a fixed result type, and
    /// `fetchRequest()` returns a different one. The request is made with the type of the cast: in the cast value, or
    /// where its variable is made. Otherwise the statement is kept for Apple's systems, and other systems get it
    /// without the cast.
    mutating func replaceRequestCasts() {
        var retyped: Set<Int> = []
        for index in tokens.indices
        where isForcedCastToRequest(index) && !isGuarded[index] && !settled.contains(index) {
            let close = closingAngle(index + 3)
            let result = text(tokens[index + 4].range.lowerBound..<tokens[close].range.lowerBound)
            let cast = tokens[index - 1].range.upperBound..<tokens[close].range.upperBound
            if let request = newRequest(endingAt: index - 1) {
                replace(bytes(ofTokens: request.tokens), request.text(result))
                replace(cast, "")
            } else if let variable = requestVariable(castAt: index, to: result) {
                // Several casts of one variable produce the same edits.
                if retyped.insert(variable.place).inserted {
                    for (range, text) in variable.edits(result) { replace(range, text) }
                }
                replace(cast, "")
            } else if ["NSFetchRequestResult", "any NSFetchRequestResult"].contains(result) {
                untypedCasts.append(index)
            } else {
                warn(index, "This cast traps here unless the request is of that very type: make the request as one.")
            }
        }
    }

    /// `NSBatchDeleteRequest(fetchRequest: request as! NSFetchRequest<NSFetchRequestResult>)` takes any request here.
    /// This comes after the other edits of the statement.
    mutating func separateRequestCasts() {
        for index in untypedCasts where !settled.contains(index) {
            guard let statement = simpleStatement(around: index) else {
                warn(index, Self.untypedCast)
                continue
            }
            let casts = untypedCasts.filter(statement.contains)
            guard casts.allSatisfy({ takesAnyRequest(castAt: $0, in: statement) }) else {
                for cast in casts { warn(cast, Self.untypedCast) }
                settled.formUnion(casts)
                continue
            }
            for cast in casts {
                let close = closingAngle(cast + 3)
                replace(tokens[cast - 1].range.upperBound..<tokens[close].range.upperBound, "")
            }
            separate(statement)
        }
    }

    private static let untypedCast =
        "This cast traps here unless the request is of that very type: pass the request as it is."

    /// Whether the value is an argument of a function that is generic here, or the value of a new constant.
    private func takesAnyRequest(castAt index: Int, in statement: Range<Int>) -> Bool {
        let next = closingAngle(index + 3) + 1
        guard let start = startOfExpression(endingAt: index - 1) else { return false }
        if `is`(start - 1, "="), `is`(start - 3, "let") { return next == statement.upperBound }
        guard `is`(next, ")") || `is`(next, ",") else { return false }
        if `is`(start - 1, "(") { return `is`(start - 2, "fetch") || `is`(start - 2, "execute") }
        guard `is`(start - 1, ":"), `is`(start - 3, "("), start > 3 else { return false }
        let call = "\(tokens[start - 4].text)(\(tokens[start - 2].text):)"
        return [
            "NSBatchDeleteRequest(fetchRequest:)", "NSAsynchronousFetchRequest(fetchRequest:)", "count(for:)",
        ].contains(call)
    }

    /// `model.fetchRequestFromTemplate(…) as? NSFetchRequest<Car>` is nil here for the same reason. A request with the
    /// settings of the template takes its place; a mark after `as` says whether the result is optional.
    mutating func replaceTemplateCasts() {
        for index in tokens.indices where !isGuarded[index] && `is`(index, "as") {
            guard `is`(index + 2, "NSFetchRequest"), `is`(index + 3, "<"), tokens.indices.contains(index + 4) else {
                continue
            }
            let close = closingAngle(index + 3)
            let result = text(tokens[index + 4].range.lowerBound..<tokens[close].range.lowerBound)
            guard !result.hasSuffix("NSFetchRequestResult") else { continue }
            // `a?.b()!` is an optional, and `a?.b() as! C` is not.
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

    /// Whether the members and calls before a name contain a `?`.
    private func isChained(before name: Int) -> Bool {
        var at = name - 1
        while at >= 0, tokens[at].kind == .word || [".", "?", "!", ")"].contains(tokens[at].text) {
            if `is`(at, "?") { return true }
            at = `is`(at, ")") ? (opening(of: at) ?? 0) - 1 : at - 1
        }
        return false
    }

    private static func typedTemplate(_ result: String, indent: String) -> String {
        let lines = [
            ".map({ template -> NSFetchRequest<\(result)> in",
            "    let request = NSFetchRequest<\(result)>(entityName: template.entityName!)",
            "    request.predicate = template.predicate",
            "    request.sortDescriptors = template.sortDescriptors",
            "    request.fetchLimit = template.fetchLimit",
            "    request.fetchOffset = template.fetchOffset",
            "    request.fetchBatchSize = template.fetchBatchSize",
            "    request.resultType = template.resultType",
            "    request.includesSubentities = template.includesSubentities",
            "    request.includesPendingChanges = template.includesPendingChanges",
            "    request.includesPropertyValues = template.includesPropertyValues",
            "    request.returnsObjectsAsFaults = template.returnsObjectsAsFaults",
            "    request.returnsDistinctResults = template.returnsDistinctResults",
            "    return request",
            "})",
        ]
        return lines.joined(separator: "\n" + indent)
    }

    /// `as ! NSFetchRequest <`
    func isForcedCastToRequest(_ index: Int) -> Bool {
        `is`(index, "as") && `is`(index + 1, "!") && `is`(index + 2, "NSFetchRequest") && `is`(index + 3, "<")
            && tokens.indices.contains(index + 4)
    }

    func closingAngle(_ open: Int) -> Int {
        var (depth, at) = (0, open)
        repeat {
            if `is`(at, "<") { depth += 1 }
            if `is`(at, ">") { depth -= 1 }
            at += 1
        } while depth > 0 && at < tokens.count
        return at - 1
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
