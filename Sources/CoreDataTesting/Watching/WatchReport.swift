// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// What a container did while a test watched it: the values that tests compare.

public import CoreData

/// The result of `TestContainer.watch(_:)`: statements, faults that fired one at a time, and objects and contexts that
/// outlived the block.
public struct WatchReport<Result> {
    /// The result of the block.
    public let result: Result
    /// The SQL statements of the container's store, without those of transactions. Empty for XML and binary stores.
    public let statements: [String]
    /// Faults of a relationship that fired one at a time, more than ten of them, in the container's contexts. The
    /// description of each says what to prefetch.
    public let repeatedFaulting: [RepeatedFaulting]
    /// Contexts that the block made and did not release, and objects that outlived it.
    public let leaks: [Leak]

    /// Compares the report with the expectations of a test.
    ///
    /// ```swift
    /// try container.watch { try list.load(from: container) }.verify(statements: 2)
    /// ```
    ///
    /// - Parameters:
    ///   - statements: the greatest number of statements; nil allows any.
    ///   - allowsRepeatedFaulting: whether faults may fire one at a time.
    ///   - allowsLeaks: whether contexts and objects may outlive the block.
    /// - Returns: the result of the block.
    /// - Throws: `WatchFailure`, whose text names all that exceeds the expectations.
    @discardableResult
    public func verify(
        statements limit: Int? = nil, allowsRepeatedFaulting: Bool = false, allowsLeaks: Bool = false
    ) throws -> Result {
        var sentences: [String] = []
        if let limit, statements.count > limit {
            sentences.append("\(statements.count) statements ran, and \(limit) are allowed:")
            sentences += statements.map { "  \($0)" }
        }
        if !allowsRepeatedFaulting { sentences += repeatedFaulting.map(\.description) }
        if !allowsLeaks { sentences += leaks.map(\.description) }
        guard sentences.isEmpty else { throw WatchFailure(sentences: sentences) }
        return result
    }
}

extension WatchReport: Sendable where Result: Sendable {}

/// A context or objects that are still retained.
public struct Leak: Sendable, Hashable, CustomStringConvertible {
    /// The name of the context; nil for a context without a name, and for objects of a context that is gone.
    public let contextName: String?
    /// Whether the context itself is retained. Otherwise only the objects are.
    public let isContext: Bool
    /// The number of objects by the name of their entity.
    public let objects: [String: Int]

    /// A leak as a test expects it.
    public init(contextName: String?, isContext: Bool, objects: [String: Int]) {
        (self.contextName, self.isContext, self.objects) = (contextName, isContext, objects)
    }

    /// A sentence with the remedy.
    public var description: String {
        let counts = objects.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }.joined(separator: ", ")
        if isContext {
            let name = contextName.map { "The context '\($0)'" } ?? "A context without a name"
            return
                "\(name) outlives the block\(counts.isEmpty ? "" : ", with objects: \(counts)"). Release it, or make it "
                + "before the block."
        }
        return
            "Objects outlive the block: \(counts). A closure, a list or a related object retains them: keep values or "
            + "object ids instead."
    }
}

/// A container did more than a test allows.
public struct WatchFailure: Error, Sendable, Hashable, CustomStringConvertible {
    /// One sentence for each excess.
    public let sentences: [String]

    /// The sentences, one in a line.
    public var description: String { sentences.joined(separator: "\n") }
}
