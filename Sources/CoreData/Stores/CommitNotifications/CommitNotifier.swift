// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Announces commits to a file to the followers of its stores, within this process and through inotify.

import Foundation
import Synchronization

/// The followed files of this process. Thread-safe.
///
/// A save of a store without followers costs one load.
package final class CommitNotifier: Sendable {
    package static let shared = CommitNotifier()

    private struct Follower {
        var number: Int
        var store: ObjectIdentifier
        var body: @Sendable (CommitNews) -> Void
    }

    private struct Place {
        var followers: [Follower] = []
        /// The number of running saves.
        var saves = 0
        /// Whether a write was noticed during them.
        var isWritten = false
        var watch: FileWatch?
    }

    private struct State {
        var places: [String: Place] = [:]
        var lastNumber = 0
    }

    private let state = Mutex(State())
    private let followerCount = Atomic<Int>(0)

    private init() {}

    /// - Parameter place: the path of the file, or a name in another form for a store without a file.
    package func follow(
        _ place: String, store: NSPersistentStore, _ body: @escaping @Sendable (CommitNews) -> Void
    ) -> CommitSubscription {
        let identifier = ObjectIdentifier(store)
        let number = state.withLock { state in
            state.lastNumber += 1
            state.places[place, default: Place()].followers.append(
                Follower(number: state.lastNumber, store: identifier, body: body))
            if state.places[place]?.watch == nil, place.hasPrefix("/") {
                state.places[place]?.watch = FileWatch([place, place + "-wal"]) { [weak self] in
                    self?.noteWrite(place)
                }
            }
            return state.lastNumber
        }
        followerCount.add(1, ordering: .releasing)
        return CommitSubscription { [weak self] in self?.end(number, place) }
    }

    private func end(_ number: Int, _ place: String) {
        followerCount.subtract(1, ordering: .releasing)
        let ended = state.withLock { state -> Place? in
            state.places[place]?.followers.removeAll { $0.number == number }
            guard let left = state.places[place], left.followers.isEmpty, left.saves == 0 else { return nil }
            return state.places.removeValue(forKey: place)
        }
        _ = ended  // released outside of the lock
    }

    // MARK: Commits of this process

    /// Called before a save writes; nil unless the file is followed.
    package func begin(_ place: @autoclosure () -> String, by store: NSPersistentStore) -> Commit? {
        guard followerCount.load(ordering: .acquiring) > 0 else { return nil }
        let (place, identifier) = (place(), ObjectIdentifier(store))
        return state.withLock { state in
            guard let followers = state.places[place]?.followers else { return nil }
            state.places[place]?.saves += 1
            let isFollowed = followers.contains { $0.store == identifier }
            return Commit(place: place, feeds: self, isFollowed: isFollowed)
        }
    }

    /// A save of this process, from its creation to its deinitializer.
    package final class Commit {
        private let place: String
        private let feeds: CommitNotifier
        /// Whether the saving store itself is followed.
        package let isFollowed: Bool

        init(place: String, feeds: CommitNotifier, isFollowed: Bool) {
            self.place = place
            self.feeds = feeds
            self.isFollowed = isFollowed
        }

        /// Called after the commit, before the store lets other saves begin.
        ///
        /// - Parameter number: nil without a history.
        package func announce(_ number: Int64?, by store: NSPersistentStore) {
            feeds.tell(place, CommitNews(number: number, isOwn: false, isOfThisProcess: true), by: store)
        }

        deinit { feeds.endSave(place) }
    }

    private func endSave(_ place: String) {
        let isWritten = state.withLock { state -> Bool in
            state.places[place]?.saves -= 1
            guard let left = state.places[place], left.saves == 0 else { return false }
            if left.followers.isEmpty { state.places[place] = nil } else { state.places[place]?.isWritten = false }
            return left.isWritten
        }
        if isWritten { tellOfWrite(place) }
    }

    package func isCommitting(_ place: String) -> Bool { state.withLock { ($0.places[place]?.saves ?? 0) > 0 } }

    // MARK: Writes to the file

    /// A save of this process writes thousands of times; the followers learn of it once, at its end.
    private func noteWrite(_ place: String) {
        let isSaving = state.withLock { state in
            guard let saves = state.places[place]?.saves, saves > 0 else { return false }
            state.places[place]?.isWritten = true
            return true
        }
        if !isSaving { tellOfWrite(place) }
    }

    private func tellOfWrite(_ place: String) {
        tell(place, CommitNews(number: nil, isOwn: false, isOfThisProcess: false))
    }

    private func tell(_ place: String, _ news: CommitNews, by store: NSPersistentStore? = nil) {
        let followers = state.withLock { $0.places[place]?.followers ?? [] }
        for follower in followers {
            var news = news
            news.isOwn = store.map { ObjectIdentifier($0) == follower.store } ?? false
            follower.body(news)
        }
    }
}
