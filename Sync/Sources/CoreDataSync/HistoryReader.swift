// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The client as a named reader of the app's history, which Apple's framework does not have: the only platform file.
import CoreData

extension SyncEngine {
    /// The name of the client among the readers of the app's history.
    static let historyReader = "CoreDataSync"

    /// The transactions after which the client acknowledges again: each time is a commit in the app's store.
    private static let acknowledgedInterval: Int64 = 50

    /// Lets a retention delete the captured transactions, some of them at a time. A failure only keeps the history
    /// longer.
    func acknowledge(_ place: CapturedPlace) {
        #if !canImport(ObjectiveC)
            let isDue = acknowledged == 0 || place.number >= acknowledged + Self.acknowledgedInterval
            guard isDue, let token = place.token else { return }
            acknowledged = place.number
            try? coordinator.acknowledgeHistory(upTo: token, as: Self.historyReader)
        #endif
    }
}
