// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Warns once that persistent history was requested but is not implemented.

import Foundation
import Synchronization

enum HistoryNotice {
    private static let isGiven = Atomic<Bool>(false)

    /// Logs one warning in the life of a process, for the first store opened with a history option.
    static func warnIfRequested(_ options: [AnyHashable: Any]?) {
        guard let sentence = sentence(for: options), !isGiven.exchange(true, ordering: .relaxed) else { return }
        DiagnosisLog.warn(sentence)
    }

    /// nil if no option requests history.
    static func sentence(for options: [AnyHashable: Any]?) -> String? {
        guard let options else { return nil }
        let keys = [NSPersistentHistoryTrackingKey, NSPersistentStoreRemoteChangeNotificationPostOptionKey]
        // Apple accepts a dictionary for the first option, too.
        let asked = keys.filter { StoreFlag.isSet($0, in: options) || options[$0] is NSDictionary }
        guard !asked.isEmpty else { return nil }
        let names = asked.joined(separator: " and ")
        return "A store was opened with \(names): this framework keeps no history and posts no "
            + "notifications of changes by other processes yet. The store works without them."
    }
}
