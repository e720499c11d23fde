// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The response of a context to faults that fire one at a time. Fetching-24.

/// The response of a context to faults that fire one at a time. `Documentation/Internals/Fetching.md` states the rule.
public struct RepeatedFaultingPolicy: Sendable, Hashable {
    /// The response of a context to too many faults.
    public enum Response: Sendable, Hashable {
        /// Nothing is counted.
        case nothing
        /// A warning in the log, once in a process for each relationship.
        case warning
        /// The next `fetch`, `count` or `save` of the context throws 134060 with the same sentence, once; a save then
        /// has written nothing. For tests: a fault itself cannot throw, and a trap would end the other tests as well.
        case error
    }

    /// The response when `limit` is exceeded.
    public var response: Response
    /// How many faults of one kind may fire one at a time before the response.
    public var limit: Int

    /// Creates a policy.
    ///
    /// - Parameters:
    ///   - response: the response when `limit` is exceeded.
    ///   - limit: the number of faults of one kind that may fire one at a time.
    public init(_ response: Response, limit: Int = 10) {
        self.response = response
        self.limit = limit
    }

    /// Counts nothing.
    public static let off = RepeatedFaultingPolicy(.nothing)
    /// Logs a warning after ten faults.
    public static let warning = RepeatedFaultingPolicy(.warning)
    /// Throws an error after ten faults; for tests.
    public static let strict = RepeatedFaultingPolicy(.error)

    static let key = "OpenCoreData.FaultRuns"

    /// The policy of a new context: `-OpenCoreData.FaultRuns off|warning|strict`, as an argument or in the environment;
    /// otherwise warnings in debug builds and nothing in release builds.
    static let standard = named(ProgramSetting(key: key).value)

    static func named(_ value: String?) -> RepeatedFaultingPolicy {
        switch value?.lowercased() {
        case nil: ProgramSetting.isDebugBuild ? .warning : .off
        case "strict"?, "error"?, "2"?: .strict
        case let word?: ProgramSetting.isYes(word) ? .warning : .off
        }
    }
}
