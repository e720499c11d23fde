// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The client as a named reader of the app's history, which Apple's framework does not have: the only platform file.
import CoreData

extension SyncEngine {
    /// The name of the client among the readers of the app's history.
    static let historyReader = "CoreDataSync"

    /// Lets a retention delete the captured transactions. A failure only keeps the history longer.
    func acknowledge(_ place: CapturedPlace) {
        #if !canImport(ObjectiveC)
            guard let token = place.historyToken else { return }
            try? coordinator.acknowledgeHistory(upTo: token, as: Self.historyReader)
        #endif
    }
}
