// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Faults that fired one after the other where one statement would have done, and the policy of a context for them.

import Synchronization

/// A relationship that was followed one fault at a time: a statement for each object ("N+1"), where one for all
/// would have done.
public struct FaultRun: Sendable, Hashable, CustomStringConvertible {
    /// The entity with the request that should prefetch more; that of the faults themselves where no relationship led
    /// to them.
    public let entityName: String
    /// The addition to `relationshipKeyPathsForPrefetching` of a request for the entity; nil where no relationship of
    /// an object at hand led to the faults.
    public let keyPath: String?
    /// The entity of the objects that were read one at a time.
    public let destinationEntityName: String
    /// How many had fired when it was noticed.
    public let count: Int

    public var description: String {
        let what =
            "\(count) faults of '\(destinationEntityName)' fired one at a time, each with a question to the store"
        guard let keyPath else {
            return
                "\(what). No relationship of an object at hand leads to them: fetch them together, with their values."
        }
        return
            "\(what), by way of '\(entityName).\(keyPath)'. Add \"\(keyPath)\" to relationshipKeyPathsForPrefetching of the "
            + "request for '\(entityName)'."
    }
}

/// The response of a context to faults that fire one at a time. `Documentation/Fetching.md` states the rule.
public struct FaultRunPolicy: Sendable, Hashable {
    public enum Response: Sendable, Hashable {
        /// Nothing is counted.
        case nothing
        /// A warning in the log, once in a process for each relationship.
        case warning
        /// The next `fetch`, `count` or `save` of the context throws 134060 with the same sentence, once; a save then
        /// has written nothing. For tests: a fault itself cannot throw, and stopping the program would end the other
        /// tests with it.
        case error
    }

    public var response: Response
    /// How many faults of one kind may fire one at a time; one more is too many.
    public var limit: Int

    public init(_ response: Response, limit: Int = 10) {
        self.response = response
        self.limit = limit
    }

    public static let off = FaultRunPolicy(.nothing)
    public static let warning = FaultRunPolicy(.warning)
    public static let strict = FaultRunPolicy(.error)

    static let key = "OpenCoreData.FaultRuns"

    /// The policy of a new context: `-OpenCoreData.FaultRuns off|warning|strict`, as argument or in the environment;
    /// else warnings in debug builds and nothing in others.
    static let standard = named(ProgramSetting(key: key).value)

    static func named(_ value: String?) -> FaultRunPolicy {
        switch value?.lowercased() {
        case nil: ProgramSetting.isDebugBuild ? .warning : .off
        case "strict"?, "error"?, "2"?: .strict
        case let word?: ProgramSetting.isYes(word) ? .warning : .off
        }
    }
}

extension NSManagedObjectContext {
    /// The response of the context to relationships that are followed one fault at a time. May be set on any thread.
    ///
    /// Unless set: `-OpenCoreData.FaultRuns off|warning|strict`, an argument or in the environment; else
    /// warnings in debug builds, nothing in others.
    public var faultRunPolicy: FaultRunPolicy {
        get { state.settings.read(\.faultRunPolicy) }
        set {
            state.settings.exchange(newValue, \.faultRunPolicy)
            state.settings.countsFaults.store(newValue.response != .nothing, ordering: .relaxed)
        }
    }

    /// The relationships that were followed one fault at a time since the context was made or reset, each once.
    public var faultRuns: [FaultRun] {
        checkQueue()
        return state.storedFaults?.runs?.found ?? []
    }
}
