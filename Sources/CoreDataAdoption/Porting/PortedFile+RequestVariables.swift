// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Finds where a cast request is made, so that it can be made with the type of the cast.

import CoreDataGeneration

/// `Car.fetchRequest()`, `NSFetchRequest<Car>(…)`
struct NewRequest {
    let tokens: Range<Int>
    /// The call for another result type.
    let text: (String) -> String
}

/// A constant or variable of a function that only configures the request and casts it.
struct RequestVariable {
    let place: Int
    let request: NewRequest
    let requestBytes: Range<Int>
    /// The type annotation after the name.
    let annotation: Range<Int>?

    func edits(_ result: String) -> [(Range<Int>, String)] {
        let typed = annotation.map { ($0, "NSFetchRequest<\(result)>") }
        return [typed, (requestBytes, request.text(result))].compactMap { $0 }
    }
}

extension PortedFile {
    func newRequest(endingAt index: Int) -> NewRequest? {
        guard `is`(index, ")"), let open = opening(of: index), open > 0 else { return nil }
        if `is`(open - 1, "fetchRequest"), index == open + 1 {
            var owner = ""
            if `is`(open - 2, ".") {
                guard open > 2, tokens[open - 3].kind == .word, !`is`(open - 4, ".") else { return nil }
                owner = "\(tokens[open - 3].text)."
            }
            return NewRequest(tokens: (owner.isEmpty ? open - 1 : open - 3)..<(index + 1)) {
                "NSFetchRequest<\($0)>(entityName: \(owner)entity().name!)"
            }
        }
        var name = open - 1
        if `is`(name, ">") {
            guard let angle = tokens[..<name].indices.last(where: { `is`($0, "<") && closingAngle($0) == name }) else {
                return nil
            }
            name = angle - 1
        }
        guard `is`(name, "NSFetchRequest"), !`is`(name - 1, ".") else { return nil }
        let arguments = text(tokens[open].range.lowerBound..<tokens[index].range.upperBound)
        return NewRequest(tokens: name..<(index + 1)) { "NSFetchRequest<\($0)>\(arguments)" }
    }

    /// The variable in `request as! NSFetchRequest<Car>`, if nothing else needs its type.
    func requestVariable(castAt index: Int, to result: String) -> RequestVariable? {
        guard tokens[index - 1].kind == .word, !`is`(index - 2, ".") else { return nil }
        let name = tokens[index - 1].text
        let place = tokens[..<index].indices.last { at in
            `is`(at, name) && (`is`(at - 1, "let") || `is`(at - 1, "var")) && !isGuarded[at]
        }
        guard let place, let scope = scope(of: place), scope.contains(index) else { return nil }
        var at = place + 1
        var annotation: Range<Int>?
        if `is`(at, ":") {
            guard `is`(at + 1, "NSFetchRequest"), `is`(at + 2, "<") else { return nil }
            let close = closingAngle(at + 2)
            annotation = bytes(ofTokens: (at + 1)..<(close + 1))
            at = close + 1
        }
        guard `is`(at, "="), let end = simpleStatement(around: place)?.upperBound,
            let request = newRequest(endingAt: end - 1), request.tokens.lowerBound == at + 1,
            (place + 1..<scope.upperBound).allSatisfy({ isIndependentUse($0, of: name, castTo: result) })
        else { return nil }
        return RequestVariable(
            place: place, request: request, requestBytes: bytes(ofTokens: request.tokens), annotation: annotation)
    }

    /// The rest of the block of a function in which a variable is declared; nil for a member of a type.
    private func scope(of place: Int) -> Range<Int>? {
        guard let open = tokens[..<place].indices.last(where: { `is`($0, "{") && behind($0) > place }) else {
            return nil
        }
        let isMember = declaredTypes().contains { $0.body.lowerBound == open + 1 }
        return isMember ? nil : place..<(behind(open) - 1)
    }

    /// Whether a token is another name, a label, or a use of the variable that works with any result type.
    private func isIndependentUse(_ index: Int, of name: String, castTo result: String) -> Bool {
        guard `is`(index, name), !`is`(index - 1, ".") else { return true }
        if `is`(index + 1, ":"), `is`(index - 1, "(") || `is`(index - 1, ",") { return true }
        if `is`(index + 1, ".") { return !`is`(index + 2, "execute") && !`is`(index + 2, "copy") }
        guard isForcedCastToRequest(index + 1) else { return false }
        let close = closingAngle(index + 4)
        return text(tokens[index + 5].range.lowerBound..<tokens[close].range.lowerBound) == result
    }
}
