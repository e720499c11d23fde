// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The bytes of large values on the network of a simulation.
import CoreDataSyncProtocol
import CoreDataSyncServer
import Foundation

extension SimulationRequest {
    /// The request with another first byte of a part.
    var damaged: SimulationRequest {
        guard case .put(var part) = self, !part.bytes.isEmpty else { return self }
        part.bytes[part.bytes.startIndex] ^= 1
        return .put(part)
    }
}

extension SimulationReply {
    /// The reply with another first byte of a part.
    var damaged: SimulationReply {
        guard case .part(var bytes) = self, !bytes.isEmpty else { return self }
        bytes[bytes.startIndex] ^= 1
        return .part(bytes)
    }
}

extension Simulation {
    /// A user gets the bytes of the records of the user's shapes only, also with the hash of others (Y10).
    func checkData(_ page: SyncPage) throws {
        guard let image = server.images[server.revision] else { return }
        for user in SimulationView.users {
            guard let view = server.authority.views[user] else { return }
            let names = view.limited(image).records
            for state in page.records where state.state == .present {
                guard case .large(let large)? = state.values["photo"] else { continue }
                let request = SyncPartRequest(record: state.name, property: "photo", hash: large.hash, offset: 0)
                let bytes = try? server.service.getAndWait(request, user: view.syncUser)
                if (bytes != nil) != (names[state.name] != nil) {
                    let word = bytes == nil ? "does not get" : "gets"
                    throw violation("Y10", "\(user) \(word) the photo of \(state.name)")
                }
            }
        }
    }
}
