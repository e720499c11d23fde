// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// What the tools tell a person when something cannot be done.

import CoreData
import CoreDataFoundation
import CoreDataModelFiles
import Foundation
import SQLiteDriver

/// A failure with a sentence for people.
package struct ToolError: Error, Sendable, CustomStringConvertible {
    package let description: String

    package init(_ description: String) { self.description = description }

    /// What any error says, in words for people and without the name of a type.
    package static func text(of error: any Error) -> String {
        switch error {
        case let error as ToolError: error.description
        case let error as OutputFailure: error.description
        case let error as UnknownKey: error.description
        case let error as ModelFileError: error.description
        case let error as PredicateFormatError: error.description
        case let error as SQLiteError:
            "SQLite says: \(error.message)" + (error.path.map { " (\($0))" } ?? "")
        default: (error as NSError).localizedDescription
        }
    }
}

/// The output cannot be written: a fault of its own, which says nothing of the store.
package struct OutputFailure: Error, Sendable, CustomStringConvertible {
    package let description: String
    /// Nobody reads the output any more.
    package let isClosed: Bool

    package init(_ description: String, isClosed: Bool = false) {
        self.description = description
        self.isClosed = isClosed
    }
}
