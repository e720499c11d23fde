// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Proposes the words that may follow at a place of a filter: keys, operators, values, connectives.

import CoreData
import CoreDataToolKit
import Foundation

/// The response to a filter that is being typed.
struct FilterAnswer: Encodable, Sendable {
    struct Item: Encodable, Sendable {
        /// The text that replaces the word at the cursor.
        let text: String
        /// "attribute", "relationship", "operator", "value" or "word".
        let kind: String
        let detail: String
    }

    var isValid = true
    var message = ""
    /// The position of the mistake in UTF-16 units; nil for a mistake of the whole text.
    var offset: Int?
    /// The start of the word that an item replaces, in UTF-16 units.
    var start = 0
    var items: [Item] = []
}

/// Examines only the text before the cursor. It only proposes: the predicate parser decides about every filter.
struct FilterCompletion {
    private static let limit = 24
    private static let connectives: Set = ["AND", "OR", "NOT", "&&", "||", "!", "(", "ANY", "ALL", "NONE", "SOME"]
    private static let operators: Set = [
        "==", "=", "!=", "<>", "<", "<=", "=<", ">", ">=", "=>", "CONTAINS", "BEGINSWITH", "ENDSWITH", "LIKE",
        "MATCHES",
        "IN", "BETWEEN",
    ]

    private let desk: Desk
    private let entity: NSEntityDescription

    init(_ desk: Desk, _ entity: NSEntityDescription) {
        self.desk = desk
        self.entity = entity
    }

    /// - Parameter at: the place of the cursor in UTF-16 units.
    func items(_ filter: String, at: Int) throws -> (start: Int, items: [FilterAnswer.Item]) {
        let units = Array(filter.utf16.prefix(max(at, 0)))
        let before = String(decoding: units, as: UTF16.self)
        var tokens = Self.tokens(before)
        let isInWord = tokens.last.map { $0.end == units.count } ?? false
        let word = isInWord ? tokens.removeLast() : Token(text: "", start: units.count, end: units.count)
        let items = try proposals(tokens.map(\.text), word: word.text)
        return (word.start, Array(items.prefix(Self.limit)))
    }

    // MARK: Tokens

    private struct Token {
        var text: String
        var start: Int
        var end: Int
    }

    /// Words, strings (the last may be open) and runs of signs, with their places in UTF-16 units.
    private static func tokens(_ text: String) -> [Token] {
        let units = Array(text.utf16)
        var tokens: [Token] = []
        var place = 0
        func isWord(_ unit: UInt16) -> Bool {
            guard let scalar = Unicode.Scalar(unit) else { return true }
            return scalar.properties.isAlphabetic || ("0"..."9").contains(scalar)
                || "_.@#$".unicodeScalars.contains(scalar)
        }
        while place < units.count {
            let start = place
            let unit = units[place]
            if unit == 0x20 || unit == 0x09 || unit == 0x0A {
                place += 1
                continue
            }
            if unit == 0x22 || unit == 0x27 {
                place += 1
                while place < units.count, units[place] != unit { place += units[place] == 0x5C ? 2 : 1 }
                place = min(place + 1, units.count)
            } else if isWord(unit) {
                while place < units.count, isWord(units[place]) { place += 1 }
                // "[cd]" belongs to its operator.
                if place < units.count, units[place] == 0x5B {
                    while place < units.count, units[place] != 0x5D { place += 1 }
                    place = min(place + 1, units.count)
                }
            } else if "=!<>&|".utf16.contains(unit) {
                while place < units.count, "=!<>&|".utf16.contains(units[place]) { place += 1 }
            } else {
                place += 1
            }
            tokens.append(Token(text: String(decoding: units[start..<place], as: UTF16.self), start: start, end: place))
        }
        return tokens
    }

    private static func bare(_ token: String) -> String {
        String(token.prefix { $0 != "[" }).uppercased()
    }

    // MARK: Proposals

    private func proposals(_ tokens: [String], word: String) throws -> [FilterAnswer.Item] {
        let last = tokens.last ?? ""
        if tokens.isEmpty || Self.connectives.contains(Self.bare(last)) { return keys(word) }
        if Self.operators.contains(Self.bare(last)) || last == "{" || last == "," {
            let key = tokens.last { property($0) != nil }
            return try values(of: key ?? "", word: word)
        }
        if property(last) != nil { return operators(for: last, word: word) }
        return Self.matching(
            word,
            [("AND", "both"), ("OR", "one of both")].map {
                FilterAnswer.Item(text: $0.0 + " ", kind: "word", detail: $0.1)
            })
    }

    private func property(_ path: String) -> NSPropertyDescription? {
        var entity: NSEntityDescription? = entity
        var elements: [NSAttributeDescription]?
        var found: NSPropertyDescription?
        for step in path.split(separator: ".").map(String.init) where !step.hasPrefix("@") {
            found = elements?.first { $0.name == step } ?? entity?.propertiesByName[step]
            guard found != nil else { return nil }
            entity = (found as? NSRelationshipDescription)?.destinationEntity
            elements = (found as? NSCompositeAttributeDescription)?.elements
        }
        return found
    }

    private func keys(_ word: String) -> [FilterAnswer.Item] {
        let steps = word.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        let prefix = steps.dropLast().joined(separator: ".")
        var owner: NSEntityDescription? = entity
        var elements: [NSAttributeDescription]?
        if !prefix.isEmpty {
            let parent = property(prefix)
            owner = (parent as? NSRelationshipDescription)?.destinationEntity
            elements = (parent as? NSCompositeAttributeDescription)?.elements
        }
        let dotted = prefix.isEmpty ? "" : prefix + "."
        let properties: [NSPropertyDescription] = elements ?? Array((owner?.propertiesByName ?? [:]).values)
        var items = properties.sorted { $0.name < $1.name }.map { property -> FilterAnswer.Item in
            let relationship = property as? NSRelationshipDescription
            let detail =
                relationship.map { ($0.destinationEntity?.name ?? "") + ($0.isToMany ? "*" : "") }
                ?? (property as? NSAttributeDescription).map { Column.name(of: $0.attributeType) } ?? ""
            return FilterAnswer.Item(
                text: dotted + property.name, kind: relationship == nil ? "attribute" : "relationship", detail: detail)
        }
        if prefix.isEmpty {
            items += ["NOT ", "ANY ", "ALL "].map { FilterAnswer.Item(text: $0, kind: "word", detail: "") }
        } else if (property(prefix) as? NSRelationshipDescription)?.isToMany == true {
            items.append(FilterAnswer.Item(text: dotted + "@count", kind: "attribute", detail: "number of members"))
        }
        return Self.matching(word, items)
    }

    private func operators(for path: String, word: String) -> [FilterAnswer.Item] {
        let names: [String]
        if path.contains("@") {
            names = ["==", "!=", "<", "<=", ">", ">="]
        } else if let relationship = property(path) as? NSRelationshipDescription {
            names = relationship.isToMany ? ["CONTAINS"] : ["==", "!=", "IN"]
        } else {
            switch (property(path) as? NSAttributeDescription)?.attributeType {
            case .stringAttributeType:
                names = [
                    "==", "!=", "CONTAINS[cd]", "BEGINSWITH[cd]", "ENDSWITH[cd]", "LIKE[cd]", "MATCHES", "IN", "<", ">",
                ]
            case .booleanAttributeType: names = ["==", "!="]
            case .binaryDataAttributeType: names = ["==", "!="]
            default: names = ["==", "!=", "<", "<=", ">", ">=", "BETWEEN", "IN"]
            }
        }
        return Self.matching(word, names.map { FilterAnswer.Item(text: $0 + " ", kind: "operator", detail: "") })
    }

    private func values(of path: String, word: String) throws -> [FilterAnswer.Item] {
        let isOptional = property(path)?.isOptional ?? true
        var items: [FilterAnswer.Item] = []
        let typed = word.trimmingCharacters(in: CharacterSet(charactersIn: "\"'"))
        if let relationship = property(path) as? NSRelationshipDescription,
            let destination = relationship.destinationEntity
        {
            let request = NSFetchRequest<NSManagedObject>(entityName: destination.name ?? "")
            if let key = ObjectTitle.key(of: destination), !typed.isEmpty {
                request.predicate = NSPredicate(format: "%K BEGINSWITH[cd] %@", key, typed)
            }
            request.fetchLimit = 12
            items = try desk.context.fetch(request).map {
                FilterAnswer.Item(text: "\"\($0.studioID)\"", kind: "value", detail: ObjectTitle.text(of: $0))
            }
        } else if let attribute = property(path) as? NSAttributeDescription {
            switch attribute.attributeType {
            case .booleanAttributeType:
                items = ["YES", "NO"].map { FilterAnswer.Item(text: $0, kind: "value", detail: "") }
            case .dateAttributeType:
                let today = LocalTime.text(of: Date()).prefix(10)
                items = [FilterAnswer.Item(text: "\"\(today)\"", kind: "value", detail: "today")]
            case .stringAttributeType where !path.contains("."):
                items = try distinctTexts(path, typed).map {
                    FilterAnswer.Item(text: FilterCondition.quoted($0), kind: "value", detail: "")
                }
            default: break
            }
        }
        if isOptional { items.append(FilterAnswer.Item(text: "nil", kind: "value", detail: "no value")) }
        // The fetch found values that begin with the typed text; their quotes do not count.
        return items.filter { item in
            typed.isEmpty || item.text.lowercased().contains(typed.lowercased())
                || item.detail.lowercased().hasPrefix(typed.lowercased())
        }
    }

    private func distinctTexts(_ key: String, _ prefix: String) throws -> [String] {
        let request = NSFetchRequest<NSDictionary>(entityName: entity.name ?? "")
        request.resultType = .dictionaryResultType
        request.propertiesToFetch = [key]
        request.returnsDistinctResults = true
        request.predicate =
            prefix.isEmpty
            ? NSPredicate(format: "%K != nil", key) : NSPredicate(format: "%K BEGINSWITH[cd] %@", key, prefix)
        request.fetchLimit = 12
        return try desk.context.fetch(request).compactMap { $0[key] as? String }.filter { $0.count <= 80 }
    }

    private static func matching(_ word: String, _ items: [FilterAnswer.Item]) -> [FilterAnswer.Item] {
        let word = word.lowercased()
        let begins = items.filter { $0.text.lowercased().hasPrefix(word) }
        let contains = items.filter { !$0.text.lowercased().hasPrefix(word) && $0.text.lowercased().contains(word) }
        return begins + contains
    }
}

extension Site {
    /// - Parameter query: `q` is the filter, `at` the place of the cursor in UTF-16 units.
    func completion(_ session: StudioSession, _ name: String, _ query: [String: String]) async throws -> FilterAnswer {
        let filter = try ViewDefinition(entityName: name, query: query).filter
        let place = Int(query["at"] ?? "") ?? filter.utf16.count
        return try await session.read { desk in
            let entity = try desk.entity(name)
            var answer = FilterAnswer()
            do {
                _ = try desk.store.predicate(filter, of: entity)
            } catch let mistake as FilterMistake {
                answer.isValid = false
                answer.message = mistake.message
                answer.offset = mistake.offset.map { offset in
                    filter.unicodeScalars.prefix(offset).reduce(0) { $0 + UTF16.width($1) }
                }
            }
            (answer.start, answer.items) = try FilterCompletion(desk, entity).items(filter, at: place)
            return answer
        }
    }

    /// SQL and plan of a view.
    func explanation(_ session: StudioSession, _ name: String, _ query: [String: String]) async throws -> HTML {
        let definition = try ViewDefinition(entityName: name, query: query)
        let explanation = try await session.read { desk in
            try definition.request(desk.store, try desk.entity(name)).explain(in: desk.context)
        }
        let parts = explanation.stores.html { store in
            let sql: HTML =
                store.sql.map { "<h3>SQL</h3><pre>\($0)</pre>" } ?? "<p>This store is searched in memory.</p>"
            let plan: HTML =
                store.queryPlan.isEmpty
                ? .nothing : "<h3>Plan</h3><pre>\(store.queryPlan.joined(separator: "\n"))</pre>"
            let memory: HTML =
                store.inMemory.isEmpty
                ? .nothing
                : "<h3>In memory</h3><ul>\(store.inMemory.html { "<li>\($0.kind.rawValue) <code>\($0.subject)</code>: \($0.reason)</li>" })</ul>"
            return "\(sql)\(plan)\(memory)"
        }
        let work: HTML =
            explanation.contextWork.isEmpty
            ? .nothing : "<ul>\(explanation.contextWork.html { "<li>\($0)</li>" })</ul>"
        return "\(parts)\(work)"
    }
}
