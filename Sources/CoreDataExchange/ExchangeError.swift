// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The errors of records that cannot be read.

/// A record, a value or a file that does not fit, with a sentence for the user.
package struct ExchangeError: Error, Sendable, CustomStringConvertible {
    package let description: String

    package init(_ description: String) { self.description = description }
}
