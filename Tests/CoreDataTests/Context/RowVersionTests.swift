// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The counting of record versions.

import Testing

@testable import CoreData

/// Proves: Contexts-7
@Suite("Versions of records") struct RowVersionTests {
    @Test("the first version is 1, each save adds one, and the greatest number wraps around")
    func counting() {
        #expect(RowVersion.next(after: 0) == 1)
        #expect(RowVersion.next(after: 41) == 42)
        #expect(RowVersion.next(after: .max) == .min)
    }
}
