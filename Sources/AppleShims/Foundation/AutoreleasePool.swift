// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The pool of released objects, which Linux does not have.

/// Calls the closure. There is no pool of released objects on Linux.
///
/// - Throws: the error of the closure.
public func autoreleasepool<Result>(invoking body: () throws -> Result) rethrows -> Result { try body() }
