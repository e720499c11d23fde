// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Errors of a server or of the connection to it, with the server's code if there is one.

/// An error of the server, of the connection to it, or of the library.
package struct PostgreSQLError: Error, Sendable, CustomStringConvertible {
    package enum Kind: Sendable {
        /// The server refused a statement; the connection is still usable.
        case server
        /// The connection is lost, or could not be made.
        case connection
        /// The deadline passed. The server may still be working.
        case deadline
        /// libpq is not installed.
        case library
        /// The caller's setting, or the answer, is invalid.
        case unusable
    }

    package var kind: Kind
    /// The SQLSTATE; empty if the error is not from a server.
    package var code: String
    /// Without values of the program, and without the password.
    package var message: String
    package var constraint: String?
    package var table: String?
    package var column: String?

    package init(_ kind: Kind, code: String = "", _ message: String) {
        self.kind = kind
        self.code = code
        self.message = message
    }

    /// Whether the connection must be discarded.
    package var endsConnection: Bool {
        switch kind {
        case .connection, .deadline: true
        case .library, .unusable: false
        case .server:
            code.hasPrefix("08") || code.hasPrefix("57P0") || code == "25P03" || code == "25006" || code == "57P05"
        }
    }

    /// Whether the whole transaction may succeed if it is repeated.
    package var isTransient: Bool { code == "40001" || code == "40P01" }

    /// Whether the server refused a value, a type or the size of the statement, not the statement as such.
    package var isAboutData: Bool {
        code.hasPrefix("22") || code.hasPrefix("54")
            || ["42804", "42803", "42883", "42725", "42P10", "2201B"].contains(code)
    }

    package var isUnique: Bool { code == "23505" || code == "23P01" }

    package var description: String { code.isEmpty ? message : "\(message) (SQLSTATE \(code))" }
}
