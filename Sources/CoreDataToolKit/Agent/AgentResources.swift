// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The resources of the server: schemas of stores and models, and pages about predicates, SQL, searches and rules.

import Foundation

/// Texts that a client may attach to a conversation.
enum AgentResources {
    private static let schemaPrefix = "coredata://schema/"
    private static let pagePrefix = "coredata://pages/"

    static func list(_ places: AgentPlaces) -> JSONValue {
        let documents = pages.map { page in
            JSONValue.members([
                "uri": .string(pagePrefix + page.name), "name": .string(page.title),
                "mimeType": .string("text/markdown"),
            ])
        }
        let schemas = places.files().files.prefix(60).map { file in
            JSONValue.members([
                "uri": .string(schemaPrefix + escaped(file.path)), "name": .string("Schema of \(file.path)"),
                "mimeType": .string("text/markdown"),
            ])
        }
        return .members(["resources": .array(documents + schemas)])
    }

    static let templates = JSONValue.members([
        "resourceTemplates": .array([
            .members([
                "uriTemplate": .string(schemaPrefix + "{+path}"), "name": .string("Schema of a store or a model"),
                "mimeType": .string("text/markdown"),
            ])
        ])
    ])

    private static func escaped(_ path: String) -> String {
        path.addingPercentEncoding(withAllowedCharacters: .urlPathAllowed) ?? path
    }

    /// - Throws: `AgentFault` for an unknown resource.
    static func read(_ uri: String, _ places: AgentPlaces) throws -> JSONValue {
        let text: String
        if uri.hasPrefix(pagePrefix) {
            guard let page = pages.first(where: { pagePrefix + $0.name == uri }) else {
                throw AgentFault(.unknownResource, "There is no such page.")
            }
            text = page.text
        } else if uri.hasPrefix(schemaPrefix),
            let path = String(uri.dropFirst(schemaPrefix.count)).removingPercentEncoding
        {
            do { text = try schema(path, places) } catch {
                throw AgentFault(.unknownResource, ToolError.text(of: error))
            }
        } else {
            throw AgentFault(.unknownResource, "There is no such resource.")
        }
        return .members([
            "contents": .array([
                .members(["uri": .string(uri), "mimeType": .string("text/markdown"), "text": .string(bounded(text))])
            ])
        ])
    }

    private static func bounded(_ text: String) -> String {
        guard text.utf8.count > AgentPage.largestAnswer else { return text }
        return String(decoding: text.utf8.prefix(AgentPage.largestAnswer - 100), as: UTF8.self)
            + "\n\n(cut: the tool describe gives the rest)\n"
    }

    /// One line for each property, without the numbers of objects.
    private static func schema(_ path: String, _ places: AgentPlaces) throws -> String {
        let url = try places.url(path)
        let document =
            try FileKind(of: url) == .model
            ? nil : OpenedStore(url, inference: ModelInference()).document
        let summary =
            try document.map { ModelSummary.entities(of: $0, hashes: [:]) } ?? ModelSummary(model: url).entities
        var text = "# Schema of \(path)\n"
        for entity in summary {
            text +=
                "\n## \(entity.name)" + (entity.superentity.map { ": \($0)" } ?? "")
                + (entity.isAbstract ? " (abstract)" : "") + "\n"
            for property in entity.properties {
                text +=
                    "- \(property.name): \(property.type)"
                    + (property.details.isEmpty ? "" : " (\(property.details.joined(separator: ", ")))") + "\n"
            }
        }
        return text
    }

    // MARK: Pages

    private static let pages: [(name: String, title: String, text: String)] = [
        ("predicates", "Predicates for query", predicates), ("sql", "Names in SQL", sql),
        ("search", "The language of searches", search), ("doctor", "Rules of the doctor", doctorRules),
        ("lint", "Rules for models", lintRules), ("inferred", "Models inferred from tables", inferred),
    ]

    private static let predicates = """
        # Predicates
        The parameter `where` of `query` is a format string of NSPredicate, without arguments.
        - Comparisons: `price > 10`, `title == "Dune"`, `year BETWEEN {1960, 1970}`, `state IN {1, 2}`, `author == nil`.
        - Texts: BEGINSWITH, ENDSWITH, CONTAINS, LIKE with * and ?, MATCHES with a regular expression. `[cd]` after the word
          ignores case and accents: `title CONTAINS[cd] "dune"`.
        - Relationships: `author.name == "Herbert"`, `ANY tags.name == "new"`, `tags.@count > 2`,
          `SUBQUERY(books, $b, $b.price > 10).@count > 0`.
        - Objects are written as "Author/3", dates as "2024-05-01" or "2024-05-01T12:30:00Z", UUIDs as text.
        - AND, OR, NOT and parentheses combine conditions. SELF is the object.
        """

    private static let sql = """
        # Names in SQL
        `sql` runs one SELECT of SQLite, and nothing that writes.
        - Each entity is a table: `objectID`, its attributes, and a column for each to-one relationship.
        - `author.name` follows a to-one relationship, without a JOIN.
        - `Book_tags` is the table of a many-to-many relationship of Book.
        - Dates are texts such as 2024-05-01T12:30:00.000000Z, so that their order is that of time.
        - `SELECT author.name, COUNT(*) FROM Book GROUP BY author ORDER BY 2 DESC LIMIT 5`
        """

    private static let search = """
        # Searches
        `a b` finds objects with both words, `"a b"` the phrase, `a*` words that begin with a, `a OR b`, `a NOT b`,
        `NEAR(a b, 5)`, and `title: a` only in an attribute. An attribute is searched if the model marks it as indexed for
        Spotlight. Without a full-text index the rows are read.
        """

    private static var doctorRules: String {
        "# Rules of the doctor\n"
            + DoctorRule.all.map {
                "- `\($0.id)` (\($0.severity.rawValue)): \($0.consequence)"
                    + ($0.repair == nil ? "" : " Can be mended.")
            }.joined(separator: "\n") + "\n"
    }

    private static var lintRules: String {
        "# Rules for models\n"
            + ModelLint.rules.map { "- `\($0.id)` (\($0.severity.rawValue)): \($0.text)" }
            .joined(separator: "\n") + "\n"
    }

    private static let inferred = """
        # Models inferred from tables
        Stores from before 2015 keep no model. Their tables show entities, columns and most relationships. Names are in lower
        case, all columns belong to the root entity, integers may be Booleans, and inverses of to-ones are missing.
        `describe` marks each guess. A parameter `model` names the true model.
        """
}
