// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The class of the errors that `CoreDataError` builds, which prints its sentence before its codes.

import Foundation

/// Prints as "Invoice.number needs a value. (NSCocoaErrorDomain 1570)".
///
/// Foundation on Linux prints an error as its domain, its code, "(null)" in place of the description, and all values of
/// its user info, which may be private. `print(error)`, a log and an uncaught error show the sentence instead. In all
/// else an object of this class is an `NSError`: casts, equality, and `catch let error as CocoaError`.
final class DescribedError: NSError, @unchecked Sendable {  // no stored properties, like its superclass immutable
    override var description: String { "\(localizedDescription) (\(codes.joined(separator: ", ")))" }

    /// Domain and code of the error, and of the error below it: the code of SQLite, for example.
    private var codes: [String] {
        let errors: [NSError?] = [self, userInfo[NSUnderlyingErrorKey] as? NSError]
        return errors.compactMap { error in error.map { "\($0.domain) \($0.code)" } }
    }
}
