// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Contexts without a queue, which suites use on their own thread.

public import CoreData

extension NSManagedObjectContextConcurrencyType {
    /// `confinementConcurrencyType`, without the warning that it is deprecated: tests use it where queues do not
    /// matter.
    public static let confined = NSManagedObjectContextConcurrencyType(rawValue: 0)!  // Apple's number
}
