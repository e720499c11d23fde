// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The tools that compare stores and models, plan migrations, check models, and change stores.

import CoreData
import Foundation

extension AgentTools {
    static let models: [AgentTool] = [
        AgentTool(
            name: "diff",
            text:
                "Compares two stores or models: first the models, then every value of every object. No rows: no difference.",
            parameters: [
                .init("one", required: true, "The path of a store or a model."),
                .init("other", required: true, "The path of another one."),
                .init("models_only", .boolean, "Compare only the models."),
                .init("keys", .strings, "Entity.attribute: which objects are the same; otherwise those of one row."),
                cursor,
            ], run: diff),
        AgentTool(
            name: "plan_migration",
            text:
                "Tells whether a store has a version of a model or can be migrated to it, with steps and SQL. Changes nothing.",
            parameters: [
                .init("store", required: true, "The path of a store."),
                .init("model", required: true, "The path of a model with the wanted version."),
                .init("version", "The name of the wanted version; the current one without it."), cursor,
            ]
        ) { request in
            guard let model = try request.url("model") else { throw ToolError("Name a model.") }
            let check = try MigrationCheck(
                MigrationTask(request.store(), model: model, version: request.text("version")))
            let lines = check.text(isJSON: false, isPlan: true).split(separator: "\n").map(String.init)
            let page = try request.page { page in
                for line in lines.dropFirst() { try page.add(.string(line)) }
            }
            return request.answer(["verdict": .string(check.verdict.rawValue)], page)
        },
        AgentTool(
            name: "lint", text: "Checks a model, or the model that a store keeps, against rules of good design.",
            parameters: [
                .init("path", required: true, "The path of a model or a store."),
                .init("version", "The name of a version; the current one without it."), cursor,
            ]
        ) { request in
            let url = try request.places.url(request.text("path") ?? "")
            let findings = try ModelLint.findings(url, version: request.text("version"))
            let page = try request.page { page in
                try page.begin(.init(columns: LintFinding.columns, hasIDs: false))
                for finding in findings { try page.add(finding.row) }
            }
            return request.answer([:], page)
        },
    ]

    private static func diff(_ request: AgentRequest) throws -> AgentAnswer {
        let (one, other) = (
            try request.places.url(request.text("one") ?? ""), try request.places.url(request.text("other") ?? "")
        )
        var keys: [String: [String]] = [:]
        for text in request.texts("keys") {
            let parts = text.split(separator: ".", maxSplits: 1).map(String.init)
            guard parts.count == 2 else { throw ToolError("A key is Entity.attribute, not '\(text)'.") }
            keys[parts[0], default: []].append(parts[1])
        }
        let isModels = try FileKind(of: one) == .model || FileKind(of: other) == .model
        let isModelsOnly = isModels || request.flag("models_only")
        let models = try ModelDiff(one, other, inference: ModelInference())
        let page = try request.page { page in
            for change in models.changes { try page.add(object(ModelDiff.Change.columns, change.row)) }
            guard !isModelsOnly else { return }
            let stores = try [one, other].map { try RowStore($0, inference: ModelInference()) }
            _ = try DataDiff(stores[0], stores[1], keys: keys).run { change in
                try page.add(object(DataDiff.Change.columns, change.row))
            }
        }
        return request.answer(["compared": .string(isModelsOnly ? "models" : "models and data")], page)
    }

    private static func object(_ columns: [String], _ row: QueryResult.Row) -> JSONValue {
        .object(
            zip(columns, row.cells).filter { $0.1 != .null }.map { .init($0.0, AgentPage.json($0.1, 300)) })
    }

    // MARK: Changes

    static let writing: [AgentTool] = [
        AgentTool(
            name: "mend",
            text: "Repairs the findings of some rules of the doctor. The store is copied first.",
            parameters: [
                .init("store", required: true, "The path of a store."),
                .init("rules", .strings, required: true, "The ids of rules with a repair."),
                .init("dry_run", .boolean, "Return the changes without making them."),
            ], isWriting: true
        ) { request in
            let store = try request.store()
            let plan = try RepairPlan(store, rules: request.texts("rules"))
            let page = try request.page { page in
                for step in plan.steps {
                    try page.add(
                        .members([
                            "rule": .string(step.rule), "entity": step.entity.map(JSONValue.string),
                            "rows": .integer(step.count), "change": .string(step.repair.text),
                        ]))
                }
            }
            guard !request.flag("dry_run") else { return request.answer(["isDone": .boolean(false)], page) }
            // After this point the call cannot be cancelled: it would leave the agent without the result.
            try request.call.check()
            let (copy, rows) = try plan.run(backup: store.deletingLastPathComponent())
            return request.answer(
                [
                    "isDone": .boolean(true), "rows": .integer(rows),
                    "copy": copy.map { .string(request.places.shown($0)) },
                ], page)
        },
        AgentTool(
            name: "upsert",
            text: """
                Inserts and updates objects, as validated saves. A record is an object such as {"objectID": "Book/1", \
                "title": "Dune", "author": "Author/2"}; its id only names it among the records. An object with the same key \
                is updated.
                """,
            parameters: [
                .init("store", required: true, "The path of a store that keeps its model."),
                .init("records", .objects, required: true, "The records."),
                .init("keys", .strings, required: true, "Entity.attribute: which objects are the same."),
                .init("dry_run", .boolean, "Count the objects, and change nothing."),
            ], isWriting: true, run: upsert),
    ]

    private static func upsert(_ request: AgentRequest) throws -> AgentAnswer {
        let store = try request.store()
        var keys: [String: [String]] = [:]
        for text in request.texts("keys") {
            let parts = text.split(separator: ".", maxSplits: 1).map(String.init)
            guard parts.count == 2 else { throw ToolError("A key is Entity.attribute, not '\(text)'.") }
            keys[parts[0], default: []].append(parts[1])
        }
        guard !keys.isEmpty else { throw ToolError("Name a key: it decides which objects are the same.") }
        let records = request.arguments["records"]?.arrayValue ?? []
        // A record may name a file of an export; here it would be a file outside of the folders.
        if records.contains(where: namesFile) {
            throw ToolError("A record of this tool holds its values, and no file.")
        }
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("coredata-tool-\(UUID().uuidString)")
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appendingPathComponent("records.jsonl")
        try Data(records.map { $0.text + "\n" }.joined().utf8).write(to: file)
        try request.call.check()
        let summary = try StoreUpsert.run(
            store, from: ExchangeSource(file), keys: keys, isDry: request.flag("dry_run"))
        return request.answer([
            "isDone": .boolean(!request.flag("dry_run")), "updated": .integer(summary.updated),
            "inserted": .integer(summary.inserted),
        ])
    }

    private static func namesFile(_ value: JSONValue) -> Bool {
        switch value {
        case .object(let members): members.contains { $0.key == "file" || namesFile($0.value) }
        case .array(let values): values.contains(where: namesFile)
        default: false
        }
    }
}
