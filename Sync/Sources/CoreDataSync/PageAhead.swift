// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Asks for the next page of a first pull while the device applies the present one.
import CoreDataSyncProtocol
import Foundation

/// One page that was asked for early.
///
/// (1) It is used only for the very request that it answers, and dropped otherwise.
/// (2) It belongs to one run of pulls without a push between them: a page from before a push could take the device back
///     (Y4). Saves of the app while the page is under way are captured before it is applied, as for every page.
struct PageAhead {
    private let request: SyncPull
    private let task: Task<SyncPage, any Error>

    /// Asks for the page after one.
    init(after page: SyncPage, _ present: SyncPull, _ transport: any SyncTransport) {
        var request = present
        request.after = page.next
        self.request = request
        task = Task { [request] in try await transport.pull(request) }
    }

    /// - Returns: nil if the page answers another request; it is dropped then.
    func page(for request: SyncPull) async throws -> SyncPage? {
        guard request == self.request else {
            cancel()
            return nil
        }
        return try await withTaskCancellationHandler {
            try await task.value
        } onCancel: {
            task.cancel()
        }
    }

    func cancel() { task.cancel() }
}
