// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The errors of the tools, with messages for the user.

import CoreData
import CoreDataExchange
import CoreDataFoundation
import CoreDataModelFiles
import Foundation
import SQLiteDriver

/// A failure with a sentence for the user.
package struct ToolError: Error, Sendable, CustomStringConvertible {
    package let description: String

    package init(_ description: String) { self.description = description }

    /// The message of any error, without the name of its type.
    package static func text(of error: any Error) -> String {
        switch error {
        case let error as ToolError: error.description
        case let error as ExchangeError: error.description
        case let error as OutputFailure: error.description
        case let error as ExaminedStore.DamagedFile: error.description
        case let error as UnknownKey: error.description
        case let error as ModelFileError: error.description
        case let error as PredicateFormatError: error.description
        case let error as SearchQueryError: error.description
        case let error as SQLiteError:
            "SQLite says: \(error.message)" + (error.path.map { " (\($0))" } ?? "")
        default: (error as NSError).localizedDescription
        }
    }
}

extension ToolError {
    /// Whether the error is a sentence about a record.
    static func isSentence(_ error: any Error) -> Bool { error is ToolError || error is ExchangeError }

    /// Runs the body; its errors about records become errors of the tool.
    static func sentence<T>(_ body: () throws -> T) throws -> T {
        do {
            return try body()
        } catch let error as ExchangeError {
            throw ToolError(error.description)
        }
    }
}

/// A failure to write the output, which is unrelated to the store.
package struct OutputFailure: Error, Sendable, CustomStringConvertible {
    package let description: String
    /// Whether the reader of the output has closed it.
    package let isClosed: Bool

    package init(_ description: String, isClosed: Bool = false) {
        self.description = description
        self.isClosed = isClosed
    }
}
