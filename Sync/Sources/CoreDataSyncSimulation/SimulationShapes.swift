// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The users of a simulation with different shapes, and the expected records of each, computed once more.
import CoreDataSyncProtocol
import CoreDataSyncServer
import Foundation

/// The shapes of one user at one time.
struct SimulationView: Equatable, Sendable {
    let user: String
    /// Notes that are larger than this are everybody's.
    var level: Int64 = 1_000
    var hasTags = true
    var hasFolders = true

    static func user(ofDevice number: Int) -> String { "user\(number % 2)" }
    static let users = ["user0", "user1"]

    mutating func change(_ random: inout SimulationRandom) {
        switch Int.random(in: 0..<3, using: &random) {
        case 0: level = [20, 50, 1_000].filter { [level] in $0 != level }[Int.random(in: 0..<2, using: &random)]
        case 1: hasTags.toggle()
        default: hasFolders.toggle()
        }
    }

    var shapes: [SyncShape] {
        [
            SyncShape(
                "notes", entity: "Note", predicate: "owner == $user OR size > $level", follows: ["steps", "cover"]),
            SyncShape("halves", entity: "Half"),
        ] + (hasTags ? [SyncShape("tags", entity: "Tag")] : [])
            + (hasFolders ? [SyncShape("folders", entity: "Folder", predicate: "owner == $user")] : [])
    }

    var syncUser: SyncUser { SyncUser(id: user, variables: ["level": .integer(level)]) }

    /// The part of a server's records that the shapes have, without links to other records.
    func limited(_ image: ReplicaImage) -> ReplicaImage {
        let names = Set(image.records.filter { has($0.value, image) }.keys)
        var result = ReplicaImage()
        for name in names {
            guard var record = image.records[name] else { continue }
            record.values = record.values.mapValues { value in
                if case .link(let target) = value, !names.contains(target) { return .null }
                return value
            }
            record.members = record.members.mapValues { $0.filter(names.contains) }
            result.records[name] = record
        }
        return result
    }

    private func has(_ record: RecordImage, _ image: ReplicaImage) -> Bool {
        switch record.entity {
        case "Note":
            if record.values["owner"] == .string(user) { return true }
            if case .integer(let size)? = record.values["size"] { return size > level }
            return false
        case "Step", "Cover":
            guard case .link(let note)? = record.values["note"], let note = image.records[note] else { return false }
            return has(note, image)
        case "Half": return true
        case "Tag": return hasTags
        case "Folder": return hasFolders && record.values["owner"] == .string(user)
        default: return false
        }
    }
}

/// Gives the users of a run their present shapes; hides secrets from all.
final class SimulationAuthority: SyncAuthority, @unchecked Sendable {  // a simulation runs on one thread
    /// The present shapes by user; empty for runs without shapes.
    var views: [String: SimulationView] = [:]

    func mayRead(entity: String, user: SyncUser) -> Bool { entity != SimulationModel.hidden }
    func mayWrite(entity: String, user: SyncUser) -> Bool { entity != SimulationModel.hidden }
    func shapes(of user: SyncUser) -> [SyncShape]? { views[user.id]?.shapes }
}

extension Simulation {
    /// A page has no record outside of the shapes of its user, and no link to one (Y10).
    func check(_ page: SyncPage, _ view: SimulationView?) throws {
        guard let view, let image = server.images[server.revision] else { return }
        let records = view.limited(image).records
        for state in page.records where state.state == .present {
            guard records[state.name] != nil else {
                throw violation("Y10", "\(state.entity) \(state.name) was sent to \(view.user)")
            }
            for (key, value) in state.values {
                guard case .link(let target) = value, records[target] == nil else { continue }
                throw violation("Y10", "a link '\(key)' to a foreign record was sent to \(view.user)")
            }
        }
    }

    /// A batch changes no record that was and is outside of the shapes of its user (Y10).
    func check(_ push: SyncPush, _ answer: SyncPushAnswer, _ view: SimulationView?, before: ReplicaImage?) throws {
        guard let view, let before, let after = server.images[server.revision], server.oracle != nil else { return }
        let taken = Set(answer.outcomes.filter { $0.result == .taken }.map(\.group))
        let foreign = Set(before.records.keys).subtracting(view.limited(before).records.keys)
        let present = view.limited(after).records
        for change in push.changes where taken.contains(change.group) && foreign.contains(change.name) {
            guard present[change.name] == nil else { continue }
            throw violation("Y10", "\(change.entity) \(change.name) was changed by \(view.user)")
        }
    }
}
