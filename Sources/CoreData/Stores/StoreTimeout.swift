// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Reads the time that a store waits for the locks of others.

import Foundation

enum StoreTimeout {
    /// - Returns: the time of `NSPersistentStoreTimeoutOption`, five seconds without it.
    static func value(_ options: [AnyHashable: Any]?) -> Duration {
        guard let seconds = options?[NSPersistentStoreTimeoutOption].flatMap(AttributeValues.number) else {
            return .seconds(5)
        }
        return .milliseconds(Int64(max(0, min(seconds.doubleValue, 86_400)) * 1000))
    }
}
