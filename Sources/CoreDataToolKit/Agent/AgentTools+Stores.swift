// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The tools that read a store: description, queries, searches, SQL, examination, history.

import CoreData
import CoreDataModelFiles
import Foundation

/// The tools of the server, in the order of their list.
enum AgentTools {
    static let all = reading + models + writing

    private static let store = AgentTool.Parameter("store", required: true, "The path of a store, from list_files.")
    static let cursor = AgentTool.Parameter("cursor", "The nextCursor of the last answer, for its next page.")
    private static let model = AgentTool.Parameter(
        "model", "The path of a model, for a store that keeps none. Without it, one is inferred from the tables.")
    private static let limit = AgentTool.Parameter("limit", .integer, "The greatest number of rows; 50 without it.")

    private static let reading: [AgentTool] = [
        AgentTool(
            name: "list_files", text: "Lists the Core Data stores and models in the folders of this server.",
            parameters: [cursor]
        ) { request in
            let (files, isPartial) = request.places.files()
            let page = try request.page { page in
                for file in files {
                    try page.add(
                        .members([
                            "path": .string(file.path), "kind": .string(file.kind),
                            "bytes": file.size > 0 ? .integer(file.size) : nil,
                        ]))
                }
            }
            return request.answer(["isPartial": isPartial ? .boolean(true) : nil], page)
        },
        AgentTool(
            name: "describe",
            text: "Describes a store or a model: its entities with numbers of objects; with 'entity', its properties.",
            parameters: [
                .init("path", required: true, "The path of a store or a model, from list_files."),
                .init("entity", "The name of an entity."), model, cursor,
            ], run: describe),
        AgentTool(
            name: "query",
            text: """
                Reads objects of an entity. 'where' is an NSPredicate format string, such as price > 10 AND author.name \
                BEGINSWITH "M"; objects are written as "Author/3", dates as "2024-05-01". Paths follow relationships. With \
                'group_by', columns are those paths and @count, @sum.path, @avg.path, @min.path, @max.path.
                """,
            parameters: [
                store, .init("entity", required: true, "The name of an entity."),
                .init("where", "A predicate; all objects without it."),
                .init("select", .strings, "Key paths of the columns; all properties without it."),
                .init("sort", .strings, "Key paths; '-' before one sorts downwards."),
                .init("group_by", .strings, "Key paths; one row for each group of objects."), limit,
                .init("count_only", .boolean, "Return only the number of matching objects."), model, cursor,
            ], run: query),
        AgentTool(
            name: "search",
            text: """
                Finds objects by words: all of some words, "a phrase", a beginning (dra*), OR, NOT, NEAR, or an attribute \
                (title: draft). The best objects come first, with @relevance and @match.
                """,
            parameters: [
                store, .init("entity", required: true, "The name of an entity."),
                .init("text", required: true, "The words."), .init("where", "A predicate that objects also satisfy."),
                .init("select", .strings, "Key paths of the columns."), limit, model, cursor,
            ], run: query),
        AgentTool(
            name: "sql",
            text: """
                Runs one SELECT. Each entity is a table with objectID, its attributes and its to-one relationships; \
                author.name follows a relationship; Book_tags is the table of a many-to-many one. Nothing is written.
                """,
            parameters: [store, .init("statement", required: true, "A SELECT statement of SQLite."), model, cursor],
            run: sql),
        AgentTool(
            name: "explain", text: "Returns SQLite's plan of a SELECT: which tables are read whole, which by an index.",
            parameters: [store, .init("statement", required: true, "A SELECT statement."), model], run: sql),
        AgentTool(
            name: "doctor",
            text:
                "Examines a store: damage, dangling references, wrong values. Changes nothing. No rows mean it is sound.",
            parameters: [store, .init("rules", .strings, "The ids of rules; all without it."), model, cursor],
            run: doctor),
        AgentTool(
            name: "history", text: "Lists the changes that a store's persistent history has, oldest first.",
            parameters: [store, model, cursor]
        ) { request in
            let listing = HistoryListing(try request.opened(), limit: 0)
            return request.answer([:], try request.page { try listing.run(into: $0) })
        },
    ]

    // MARK: Operations

    private static func describe(_ request: AgentRequest) throws -> AgentAnswer {
        let url = try request.places.url(request.text("path") ?? "")
        let summary: ModelSummary
        var notes: [InferredModel.Note] = []
        if try FileKind(of: url) == .model {
            summary = try ModelSummary(model: url)
        } else {
            let store = try OpenedStore(url, model: request.url("model"), inference: ModelInference())
            notes = store.notes
            summary = try ModelSummary(store: store)
        }
        guard let name = request.text("entity") else {
            let page = try request.page { page in
                for entity in summary.entities {
                    try page.add(
                        .members([
                            "entity": .string(entity.name), "superentity": entity.superentity.map(JSONValue.string),
                            "isAbstract": entity.isAbstract ? .boolean(true) : nil,
                            "objects": entity.count.map { .integer($0) },
                            "properties": .integer(entity.properties.count),
                        ]))
                }
            }
            let facts = summary.facts.filter { $0.key != "path" }.map { JSONValue.Member($0.key, .string($0.value)) }
            return request.answer(["facts": .object(facts)], page)
        }
        guard let entity = summary.entities.first(where: { $0.name.lowercased() == name.lowercased() }) else {
            throw ToolError("There is no entity '\(name)'; there are: \(summary.entities.map(\.name).list).")
        }
        let page = try request.page { page in
            for property in entity.properties {
                let guess = notes.first { $0.isGuess && $0.entity == entity.name && $0.property == property.name }
                try page.add(
                    .members([
                        "name": .string(property.name), "type": .string(property.type),
                        "details": property.details.isEmpty ? nil : .array(property.details.map(JSONValue.string)),
                        "guess": guess.map { .string($0.text) },
                    ]))
            }
        }
        return request.answer(
            [
                "entity": .string(entity.name), "superentity": entity.superentity.map(JSONValue.string),
                "inherited": entity.superentity == nil
                    ? nil : .string("The properties of the superentity belong to this entity, too."),
                "objects": entity.count.map { .integer($0) },
            ], page)
    }

    private static func query(_ request: AgentRequest) throws -> AgentAnswer {
        let limit = max(request.number("limit") ?? 50, 1)
        var query = Query(
            entityName: request.text("entity") ?? "", format: request.text("where"), sortKeys: request.texts("sort"),
            selection: request.texts("select"), groupKeys: request.texts("group_by"), search: request.text("text"))
        let store = try request.opened()
        if request.flag("count_only") {
            guard query.groupKeys.isEmpty else { throw ToolError("count_only counts objects: leave group_by out.") }
            return request.answer(["count": .integer(try query.count(on: store))])
        }
        query.offset = try request.offset()
        // With one more, the page knows whether another follows.
        query.limit = limit + 1
        let page = try request.page(limit: limit, skips: false) { try query.run(on: store, into: $0) }
        return request.answer([:], page)
    }

    private static func sql(_ request: AgentRequest) throws -> AgentAnswer {
        let views = try NamedViews(request.store(), model: request.url("model"), inference: ModelInference())
        request.call.onEnd(views.interrupt)
        defer { request.call.onEnd(nil) }
        let statement = request.text("statement") ?? ""
        let text = request.tool == "explain" ? "EXPLAIN QUERY PLAN \(statement)" : statement
        return request.answer([:], try request.page { try views.run(text, into: $0) })
    }

    private static func doctor(_ request: AgentRequest) throws -> AgentAnswer {
        let rules = request.texts("rules")
        for rule in rules where DoctorRule.named(rule) == nil {
            throw ToolError("There is no rule '\(rule)'; the resource coredata://pages/doctor lists them.")
        }
        let store = try request.store()
        let doctor = try Doctor(store, model: request.url("model"))
        let page = try request.page { page in
            try doctor.examine(.init(rules: Set(rules), examples: 3), step: { _ in }) { finding in
                var shown = finding
                // The agent knows the store by another path, and has another tool in place of the command.
                shown.command = finding.repair == nil ? nil : "mend"
                try page.add(shown.json)
            }
        }
        return request.answer([:], page)
    }
}
