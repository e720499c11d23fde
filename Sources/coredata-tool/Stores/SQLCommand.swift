// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// `coredata-tool sql`: a read-only SQL prompt in which entities and attributes have their own names.

import ArgumentParser
import CoreDataToolKit
import Foundation

struct SQLCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sql",
        abstract: "Asks a store in SQL, with the names of entities and attributes.",
        discussion: """
            Examples:
              coredata-tool sql Shop.sqlite \\
                  --query 'SELECT title, price FROM Book ORDER BY price DESC LIMIT 5'
              coredata-tool sql Shop.sqlite --format csv --query \\
                  'SELECT author.name, COUNT(*) FROM Book GROUP BY author'
              coredata-tool sql Shop.sqlite
            Each entity is a table with the columns objectID, its attributes and its to-one relationships; author.name follows \
            a relationship, and Book_tags is the table of a many-to-many one. At the prompt TAB completes names, .views lists them, .quit ends. Nothing is written.
            """)

    @Argument(help: "A store.")
    var store: String

    @Option(help: "A statement; without one there is a prompt, or statements are read from standard input.")
    var query: String?

    @Option(help: "The model to open the store with instead of the one it keeps.")
    var model: String?

    @OptionGroup var inference: InferenceOptions

    @Option(help: "table, json, ndjson or csv; otherwise the ending of the output file, or table.")
    var format: OutputFormat?

    @OptionGroup var output: OutputOptions

    func run() throws {
        try Terminal.run {
            let used = try format ?? output.format(OutputFormat.endings) ?? .table
            let views = try NamedViews(
                URL(fileURLWithPath: store), model: model.map { URL(fileURLWithPath: $0) }, inference: inference.chosen)
            if let query { return try answer(query, views, used) }
            guard isatty(STDIN_FILENO) == 1 else {
                var text = ""
                while let line = readLine(strippingNewline: false) { text += line }
                for statement in Self.statements(text) { try answer(statement, views, used) }
                return
            }
            try prompt(views, used)
        }
    }

    private func answer(_ query: String, _ views: NamedViews, _ used: OutputFormat) throws {
        let width = output.output == nil ? Terminal.width : nil
        try output.write { try views.run(query, into: ResultText(used, width: width, write: $0)) }
    }

    /// The statements of a text, divided at semicolons outside of quotes.
    private static func statements(_ text: String) -> [String] {
        var (result, current, quote): ([String], String, Character?) = ([], "", nil)
        for character in text {
            if let open = quote {
                if character == open { quote = nil }
            } else if character == "'" || character == "\"" {
                quote = character
            } else if character == ";" {
                result.append(current)
                current = ""
                continue
            }
            current.append(character)
        }
        return (result + [current]).filter { !$0.allSatisfy(\.isWhitespace) }
    }

    private func prompt(_ views: NamedViews, _ used: OutputFormat) throws {
        let editor = LineEditor(completions: views.completions)
        var text = ""
        while let line = editor.readLine(text.isEmpty ? "sql> " : "...> ") {
            let word = line.trimmingCharacters(in: .whitespaces)
            if text.isEmpty, [".quit", ".exit", "quit", "exit"].contains(word) { return }
            if text.isEmpty, word == ".views" {
                for (name, columns) in views.columns.sorted(by: { $0.key < $1.key }) {
                    try Terminal.write("\(name)(\(columns.joined(separator: ", ")))\n")
                }
                continue
            }
            text += (text.isEmpty ? "" : "\n") + line
            guard word.hasSuffix(";") else { continue }
            do {
                for statement in Self.statements(text) { try answer(statement, views, used) }
            } catch let error as OutputFailure {
                throw error
            } catch {
                Terminal.printNote(ToolError.text(of: error))
            }
            text = ""
        }
    }
}
