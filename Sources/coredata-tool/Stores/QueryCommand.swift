// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// `coredata-tool query`: prints the objects of an entity.

import ArgumentParser
import CoreDataToolKit

struct QueryCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "query",
        abstract: "Prints objects of an entity.",
        discussion: """
            Examples:
              coredata-tool query Shop.sqlite Book --sort -price \\
                  --where 'price > 10 AND author.name BEGINSWITH "M"'
              coredata-tool query Shop.sqlite Book --limit 20 --format json \\
                  --select title,author.name,tags
              coredata-tool query Shop.sqlite Book \\
                  --where 'author == "Author/3" AND added > "2024-05-01"'
              coredata-tool query Shop.sqlite Book --limit 20 \\
                  --search '"open source" OR title: draft*'
              coredata-tool query Shop.sqlite Book --group-by author.name --sort -@count \\
                  --select author.name,@count,@avg.price
            Dates, UUIDs and objects are written as text: "2024-05-01T12:30:00Z", "Author/3" or its URI. SELF is the object itself.
            """)

    @Argument(help: "A store.")
    var store: String

    @Argument(help: "The name of an entity.")
    var entity: String

    @Option(name: .customLong("where"), help: "A predicate in the format of NSPredicate.")
    var predicate: String?

    @Option(
        help: """
            Words of the searched attributes: all of some words ('a b'), a phrase ('"a b"'), a beginning ('a*'), OR, NOT, NEAR, \
            or an attribute ('title: a'). The best objects come first, unless --sort says otherwise. @relevance and @match are \
            further columns.
            """)
    var search: String?

    @Option(
        parsing: .unconditionalSingleValue,
        help: "A key path to sort by; with '-' before it downwards. May be given several times, or several with commas."
    )
    var sort: [String] = []

    @Option(help: "Key paths with commas between them; all attributes and relationships otherwise.")
    var select: String?

    @Option(
        parsing: .unconditional, help: "The greatest number of objects, or of groups; 0 means no limit.")
    var limit = 0

    @Option(parsing: .unconditional, help: "How many objects, or groups, are left out before the first one.")
    var offset = 0

    @Flag(help: "Print how many objects there are, and nothing else.")
    var count = false

    @Option(
        help: """
            Key paths with commas between them: one row for each group of objects that agree in them. --select then takes these, \
            @count, and @sum, @avg, @min and @max of an attribute.
            """)
    var groupBy: String?

    @OptionGroup var options: StoreOptions

    @Option(
        help: "table, json, ndjson (an object on each line) or csv; otherwise the ending of the output file, or table."
    )
    var format: OutputFormat?

    @OptionGroup var output: OutputOptions

    func validate() throws {
        if limit < 0 { throw ValidationError("--limit needs a number from 0, which means no limit.") }
        if offset < 0 { throw ValidationError("--offset needs a number from 0.") }
        if count && (select != nil || groupBy != nil || !sort.isEmpty) {
            throw ValidationError(
                "--count prints a number: it goes with --where, --search, --limit and --offset alone.")
        }
    }

    func run() throws {
        try Terminal.run {
            let used = try format ?? output.format(OutputFormat.endings) ?? .table
            let query = Query(
                entityName: entity, format: predicate, sortKeys: sort.flatMap(Self.parts),
                selection: select.map(Self.parts) ?? [], limit: limit, offset: offset,
                groupKeys: groupBy.map(Self.parts) ?? [], search: search)
            let store = try options.open(store)
            let width = output.output == nil ? Terminal.width : nil
            try output.write { write in
                if count { return try write("\(query.count(on: store))\n") }
                try query.run(on: store, into: ResultText(used, width: width, write: write))
            }
            if let message = try store.skippedRowsMessage(of: entity) { Terminal.printNote(message) }
        }
    }

    private static func parts(_ text: String) -> [String] {
        text.split(separator: ",").map { $0.trimmingPrefix(while: \.isWhitespace) }
            .map { String($0.reversed().drop(while: \.isWhitespace).reversed()) }.filter { !$0.isEmpty }
    }
}
