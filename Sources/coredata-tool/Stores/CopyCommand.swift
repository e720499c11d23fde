// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// `coredata-tool copy`: copies a store to a server, or from a server to a file.

import ArgumentParser
import CoreDataToolKit
import Foundation

struct CopyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "copy",
        abstract:
            "Copies all objects of a store to a new one: to a PostgreSQL server, or to a SQLite file.",
        discussion: """
            Objects keep their keys. The history is not copied.

            Examples:
              coredata-tool copy Shop.sqlite 'postgresql://db.example.com/shop?schema=app'
              coredata-tool copy 'postgresql://db.example.com/shop?schema=app' Shop.sqlite
            """)

    @Argument(help: "A store.")
    var store: String

    @Argument(help: "The new store: a URL of libpq's form, or a file that is not there.")
    var destination: String

    @OptionGroup var options: StoreOptions

    func run() throws {
        try Terminal.run {
            let place = URL(place: destination)
            let count = try options.open(store).copy(to: place)
            Terminal.printNote("\(place.shownPlace) has \(count) object\(count == 1 ? "" : "s").")
        }
    }
}
