// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Rewrites observers of notifications, which use selectors on Apple's systems, as blocks.

import CoreDataGeneration

extension PortedFile {
    /// A statement `center.addObserver(self, selector: #selector(method(_:)), name: …, object: …)` is kept for Apple's
    /// systems and receives a block next to it. This requires a method among the sources that is neither asynchronous
    /// nor throwing, and takes the notification or nothing. Other statements are reported like any `#selector`.
    ///
    /// Foundation on Linux silently ignores `removeObserver(self)`, so a class that calls it keeps the tokens of
    /// its observers in `notificationTokens`.
    mutating func replaceObservers(_ observers: NotificationObservers) {
        for index in tokens.indices where !isGuarded[index] {
            if let statement = observerStatement(index, among: observers) {
                separate(statement.tokens, other: statement.lines(isStored: observers.storing.contains(statement.type)))
            } else if let type = typeOfRemoval(index), observers.starting.contains(type) {
                if observers.storing.contains(type), let removal = removalStatement(index) {
                    separate(removal.tokens, other: removal.lines)
                } else {
                    warn(index, "removeObserver ends no block here: keep the token of addObserver, and remove that.")
                }
            }
        }
        for type in declaredTypes() where `is`(type.keyword, "class") && observers.storing.contains(type.name) {
            let inner = indent(at: tokens[type.keyword].range.lowerBound) + "    "
            let list = "[(name: Notification.Name?, token: any NSObjectProtocol)]"
            let lines = [
                "", "#if !canImport(ObjectiveC)", "    nonisolated(unsafe) var notificationTokens: \(list) = []",
                "#endif",
            ]
            insert(lines.joined(separator: "\n" + inner), at: tokens[type.body.lowerBound - 1].range.upperBound)
        }
    }

    // MARK: Registering

    struct ObserverStatement {
        let tokens: Range<Int>
        let type: String
        let center: String
        let method: NotificationMethod
        let name: String
        let object: String

        func lines(isStored: Bool) -> [String] {
            let takes = method.arguments.isEmpty ? "_" : "notification"
            let call = "\(method.name)(\(method.arguments))"
            let start = isStored ? "notificationTokens.append((\(name), " : "_ = "
            let add = "\(start)\(center).addObserver(forName: \(name), object: \(object), queue: nil) {"
            let end = isStored ? "}))" : "}"
            if method.isOnMainActor {
                let copy = method.arguments.isEmpty ? [] : ["    nonisolated(unsafe) let notification = notification"]
                return ["\(add) [weak self] \(takes) in"] + copy
                    + ["    MainActor.assumeIsolated { self?.\(call) }", end]
            }
            // The block is Sendable, and the observer rarely is. A weak variable that is assigned later causes no
            // warning.
            return [
                "do {", "    nonisolated(unsafe) weak var observer: \(type)?", "    observer = self",
                "    \(add) \(takes) in", "        observer?.\(call)", "    \(end)", "}",
            ]
        }
    }

    func observerStatement(_ index: Int, among observers: NotificationObservers) -> ObserverStatement? {
        guard `is`(index, "addObserver"), `is`(index + 1, "("), `is`(index - 1, "."), !isGuarded[index],
            let range = simpleStatement(around: index), range.upperBound == behind(index + 1),
            startOfExpression(endingAt: index) == range.lowerBound, let type = enclosingType(index)
        else { return nil }
        let parts = arguments(index + 1)
        guard parts.count == 4, parts[0].count == 1, `is`(parts[0].lowerBound, "self"),
            let method = selectedMethod(parts[1], in: type, among: observers),
            let name = value(of: parts[2], labelled: "name"), let object = value(of: parts[3], labelled: "object")
        else { return nil }
        return ObserverStatement(
            tokens: range, type: type, center: text(ofTokens: range.lowerBound..<(index - 1)), method: method,
            name: name, object: object)
    }

    private func value(of part: Range<Int>, labelled label: String) -> String? {
        guard part.count > 2, `is`(part.lowerBound, label), `is`(part.lowerBound + 1, ":") else { return nil }
        return text(ofTokens: part.dropFirst(2))
    }

    /// `selector: #selector(Owner.method(_:))`, `#selector(self.method)`
    private func selectedMethod(
        _ part: Range<Int>, in type: String, among observers: NotificationObservers
    ) -> NotificationMethod? {
        let first = part.lowerBound
        guard part.count > 5, `is`(first, "selector"), `is`(first + 2, "#"), `is`(first + 3, "selector"),
            `is`(first + 4, "(")
        else { return nil }
        let path = tokens[(first + 5)..<part.upperBound].prefix { $0.is(".") || $0.kind == .word && !$0.is("as") }
        let names = path.filter { $0.kind == .word }.map(\.text)
        guard let name = names.last else { return nil }
        let owner = names.count > 1 && names[names.count - 2].first?.isUppercase == true ? names[names.count - 2] : type
        return observers.method(name, of: owner == "Self" ? type : owner)
    }

    // MARK: Removing

    private struct RemovalStatement {
        let tokens: Range<Int>
        let center: String
        let name: String?

        var lines: [String] {
            let condition = name.map { " where observer.name == \($0)" } ?? ""
            return [
                "for observer in notificationTokens\(condition) { \(center).removeObserver(observer.token) }",
                "notificationTokens.removeAll" + (name.map { " { $0.name == \($0) }" } ?? "()"),
            ]
        }
    }

    /// The type around `center.removeObserver(self)`, also for one name or object; not that of key-value observing.
    func typeOfRemoval(_ index: Int) -> String? {
        guard `is`(index, "removeObserver"), `is`(index + 1, "("), `is`(index + 2, "self"), `is`(index - 1, "."),
            `is`(index + 3, ")") || `is`(index + 4, "name") || `is`(index + 4, "object"), !isGuarded[index]
        else { return nil }
        return enclosingType(index)
    }

    private func removalStatement(_ index: Int) -> RemovalStatement? {
        guard let range = simpleStatement(around: index), range.upperBound == behind(index + 1),
            startOfExpression(endingAt: index) == range.lowerBound
        else { return nil }
        let parts = arguments(index + 1)
        let center = text(ofTokens: range.lowerBound..<(index - 1))
        if parts.count == 1 { return RemovalStatement(tokens: range, center: center, name: nil) }
        guard parts.count == 3, let name = value(of: parts[1], labelled: "name"),
            value(of: parts[2], labelled: "object") == "nil"
        else { return nil }
        return RemovalStatement(tokens: range, center: center, name: name == "nil" ? nil : name)
    }

    // MARK: Methods

    /// The methods of types, with nil for an unsuitable one.
    var notificationMethods: [(type: String, name: String, method: NotificationMethod?)] {
        let types = declaredTypes()
        return tokens.indices.compactMap { index in
            guard `is`(index, "func"), `is`(index + 2, "("),
                let type = types.last(where: { $0.body.contains(index) })
            else { return nil }
            return (type.name, tokens[index + 1].text, notificationMethod(index))
        }
    }

    private func notificationMethod(_ index: Int) -> NotificationMethod? {
        let end = behind(index + 2)
        guard `is`(end, "{") else { return nil }
        let list = tokens[(index + 3)..<(end - 1)]
        var arguments = ""
        if let last = list.last {
            guard last.is("Notification") || last.is("NSNotification"), !list.contains(where: { $0.is(",") }) else {
                return nil
            }
            let value = last.is("Notification") ? "notification" : "notification as NSNotification"
            arguments = `is`(index + 3, "_") ? value : "\(tokens[index + 3].text): \(value)"
        }
        return NotificationMethod(
            name: tokens[index + 1].text, arguments: arguments,
            isOnMainActor: hasAttribute("MainActor", before: index))
    }

    private func enclosingType(_ index: Int) -> String? {
        declaredTypes().last { $0.body.contains(index) }?.name
    }
}
