// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The function of Apple's systems that empties an autorelease pool, for code that calls it in loops.

/// Runs a block. There are no autoreleased objects on these systems, so no pool is needed.
///
/// Code for Apple's systems wraps each step of a long import in a pool. It compiles unchanged:
///
///     for batch in batches {
///         try autoreleasepool { try importer.insert(batch) }
///     }
///
/// - Parameter body: runs once, on the calling thread.
/// - Returns: the result of the block.
/// - Throws: the error of the block.
public func autoreleasepool<Result: ~Copyable, Failure: Error>(
    invoking body: () throws(Failure) -> Result
) throws(Failure) -> Result { try body() }
