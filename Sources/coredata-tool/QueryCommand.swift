// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// `coredata-tool query`: the objects of an entity.

import ArgumentParser
import CoreDataToolKit

struct QueryCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "query",
        abstract: "Prints objects of an entity.",
        discussion: """
            Examples:
              coredata-tool query Shop.sqlite Book --where 'price > 10 AND author.name BEGINSWITH "M"' --sort -price
              coredata-tool query Shop.sqlite Book --select title,author.name,tags --limit 20 --format json
            """)

    @Argument(help: "A store.")
    var store: String

    @Argument(help: "The name of an entity.")
    var entity: String

    @Option(name: .customLong("where"), help: "A predicate in the format of NSPredicate.")
    var predicate: String?

    @Option(
        parsing: .unconditionalSingleValue,
        help: "A key path to sort by; with '-' before it downwards. May be given several times, or several with commas."
    )
    var sort: [String] = []

    @Option(help: "Key paths with commas between them; all attributes and relationships otherwise.")
    var select: String?

    @Option(help: "The greatest number of objects.")
    var limit = 0

    @OptionGroup var options: StoreOptions

    @Option(help: "table, json or csv.")
    var format = OutputFormat.table

    func validate() throws {
        if limit < 0 { throw ValidationError("--limit needs a number from 0, which means no limit.") }
    }

    func run() throws {
        try Terminal.run {
            let query = Query(
                entityName: entity, format: predicate, sortKeys: sort.flatMap(Self.parts),
                selection: select.map(Self.parts) ?? [], limit: limit)
            Terminal.print(try query.run(on: options.open(store)).text(format))
        }
    }

    private static func parts(_ text: String) -> [String] {
        text.split(separator: ",").map { $0.trimmingPrefix(while: \.isWhitespace) }
            .map { String($0.reversed().drop(while: \.isWhitespace).reversed()) }.filter { !$0.isEmpty }
    }
}
