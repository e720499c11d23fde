// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Forgets deletions and lost replicas while the server runs.
import CoreDataSyncServer
import Foundation
import Logging
import ServiceLifecycle

/// Compacts once after the start, and then twice a day. A failure is logged, and the next round tries again.
struct CompactionRounds: Service {
    private static let pause = Duration.seconds(12 * 3600)
    let service: SyncService
    let days: Int
    let logger: Logger

    func run() async throws {
        try? await cancelWhenGracefulShutdown {
            while true {
                await round()
                try await Task.sleep(for: Self.pause)
            }
        }
    }

    private func round() async {
        do {
            let result = try await service.compact(inactivity: Double(days) * 24 * 3600)
            logger.info(
                "compacted",
                metadata: ["forgotten": "\(result.forgotten)", "expired": "\(result.expired)"])
        } catch {
            let error = error as NSError
            logger.error("compaction failed", metadata: ["domain": "\(error.domain)", "code": "\(error.code)"])
        }
    }
}
