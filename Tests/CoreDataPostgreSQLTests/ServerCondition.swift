// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Whether there is a server for the suites that need one, and what they share.

import CoreDataTestSupport
import Foundation
import Testing

@testable import CoreData
@testable import CoreDataPostgreSQL

extension Trait where Self == ConditionTrait {
    /// Skips a suite, visibly, where no server is.
    static var needsServer: Self {
        .enabled(if: StoreKind.serverURL != nil, "It needs a server: run it through Scripts/with-postgres.")
    }
}

extension Stack {
    /// The open state of the stack's only store.
    var server: OpenServer { get throws { try #require(store as? PostgreSQLStore).opened() } }
}
