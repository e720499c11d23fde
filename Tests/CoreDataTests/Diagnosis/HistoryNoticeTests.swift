// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// States when the log says that history is not kept.

import Foundation
import Testing

@testable import CoreData

/// Proves: H1
@Suite("History that is asked for and not kept") struct HistoryNoticeTests {
    @Test("the options have Apple's names") func names() {
        #expect(NSPersistentHistoryTrackingKey == "NSPersistentHistoryTrackingKey")
        #expect(
            NSPersistentStoreRemoteChangeNotificationPostOptionKey
                == "NSPersistentStoreRemoteChangeNotificationOptionKey")
        #expect(NSPersistentStoreURLKey == "storeURL")
        #expect(NSExternalRecordImportError == 134_200)
        #expect(CocoaError.Code.externalRecordImport.rawValue == 134_200)
    }

    @Test("is said where an option is set") func asked() throws {
        let key = NSPersistentHistoryTrackingKey
        #expect(HistoryNotice.sentence(for: [key: true])?.contains(key) == true)
        #expect(HistoryNotice.sentence(for: [key: ["com.example.app": 1] as NSDictionary]) != nil)
        let both = try #require(
            HistoryNotice.sentence(for: [key: true, NSPersistentStoreRemoteChangeNotificationPostOptionKey: true]))
        #expect(both.contains(NSPersistentStoreRemoteChangeNotificationPostOptionKey))
    }

    @Test("is not said else") func silent() {
        #expect(HistoryNotice.sentence(for: nil) == nil)
        #expect(HistoryNotice.sentence(for: [:]) == nil)
        #expect(HistoryNotice.sentence(for: [NSPersistentHistoryTrackingKey: false]) == nil)
    }
}
