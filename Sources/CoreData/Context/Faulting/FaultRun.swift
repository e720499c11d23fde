// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Earlier spellings of repeated faulting.

/// The earlier spelling of `RepeatedFaulting`.
@available(*, deprecated, renamed: "RepeatedFaulting")
public typealias FaultRun = RepeatedFaulting

/// The earlier spelling of `RepeatedFaultingPolicy`.
@available(*, deprecated, renamed: "RepeatedFaultingPolicy")
public typealias FaultRunPolicy = RepeatedFaultingPolicy

extension NSManagedObjectContext {
    /// The earlier spelling of `repeatedFaultingPolicy`.
    @available(*, deprecated, renamed: "repeatedFaultingPolicy")
    public var faultRunPolicy: RepeatedFaultingPolicy {
        get { repeatedFaultingPolicy }
        set { repeatedFaultingPolicy = newValue }
    }

    /// The earlier spelling of `repeatedFaulting`.
    @available(*, deprecated, renamed: "repeatedFaulting")
    public var faultRuns: [RepeatedFaulting] { repeatedFaulting }
}
