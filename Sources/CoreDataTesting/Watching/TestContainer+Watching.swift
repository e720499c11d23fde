// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Watches a container during a block.

import CoreData
import Foundation

extension TestContainer {
    /// Runs a block, and reports the statements of the store, faults that fired one at a time, and contexts and objects
    /// that outlive the block.
    ///
    /// ```swift
    /// let report = try container.watch {
    ///     try container.viewContext.fetch(Memo.fetchRequest()).map(\.title)
    /// }
    /// #expect(report.statements.count == 1)
    /// #expect(report.leaks == [])
    /// ```
    ///
    /// A context counts as leaked if it was made in the block and still exists half a second after its end. So do
    /// objects that were registered in the block, have no unsaved changes, and are retained. Objects that are returned
    /// as the result are retained by it.
    ///
    /// - Throws: the error of the block.
    /// - Important: watch one block of a container at a time, and do nothing else with it meanwhile: the statements of
    ///   other threads would count. If `viewContext` is used, call it on the main thread, or in asynchronous code.
    /// - Complexity: without leaks, little more than the block; half a second with a leak.
    public func watch<T>(_ body: () throws -> T) throws -> WatchReport<T> {
        let watch = ContainerWatch(self)
        let result = Swift.Result { try body() }
        var leaks = watch.leaks()
        let end = ContinuousClock.now + ContainerWatch.patience
        while !leaks.isEmpty, ContinuousClock.now < end {
            Thread.sleep(forTimeInterval: 0.01)
            leaks = watch.leaks()
        }
        let (statements, faulting) = watch.end()
        return try WatchReport(
            result: result.get(), statements: statements, repeatedFaulting: faulting, leaks: leaks)
    }

    /// The form for asynchronous code.
    public func watch<T>(
        isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> T
    ) async throws -> WatchReport<T> {
        let watch = ContainerWatch(self)
        let result: Swift.Result<T, any Error>
        do { result = .success(try await body()) } catch { result = .failure(error) }
        var leaks = watch.leaks()
        let end = ContinuousClock.now + ContainerWatch.patience
        while !leaks.isEmpty, ContinuousClock.now < end {
            try? await Task.sleep(for: .milliseconds(10))
            leaks = watch.leaks()
        }
        let (statements, faulting) = watch.end()
        return try WatchReport(
            result: result.get(), statements: statements, repeatedFaulting: faulting, leaks: leaks)
    }
}
