// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Follows the commits to one store of a coordinator: drops outdated rows, merges into contexts, posts notifications.

import Foundation

/// # States
///     quiet ──write noticed──▶ looking (at once, then after 2, 10, 50 and 250 ms) ──nothing more──▶ quiet
/// A write is noticed before its commit can be seen, hence the later looks (History-13). Everything runs on the
/// coordinator's queue for remote changes.
final class StoreFollower: @unchecked Sendable {  // `isEnded` is guarded by `lock`, the rest is confined to `queue`
    private static let delays = [2, 10, 50, 250]
    /// Up to this many transactions found at once get one notification each; more are joined.
    private static let mostNotifications = 100
    /// The delay in milliseconds while a save of this process is running.
    private static let saveDelay = 5

    private let store: any HistoryKeeping
    private weak var coordinator: NSPersistentStoreCoordinator?
    /// Weak, because it retains its followers.
    private weak var changes: CoordinatorRemoteChanges?
    let posts: Bool
    private let queue: DispatchQueue
    private let lock = NSLock()
    private var isEnded = false
    private var subscription: CommitSubscription?
    /// The last transaction that was announced; nil without a history.
    private var last: Int64?
    private var isLookDue = false
    /// Counts bursts of writes: delayed looks of an earlier burst are skipped.
    private var burst = 0

    init(
        _ store: any HistoryKeeping, _ coordinator: NSPersistentStoreCoordinator, _ changes: CoordinatorRemoteChanges,
        posts: Bool
    ) {
        self.store = store
        self.coordinator = coordinator
        self.changes = changes
        self.posts = posts
        queue = changes.queue
    }

    func start() {
        // Skip earlier commits. No notice can arrive yet, so this thread may set the number.
        _ = try? store.lookForCommits(duringSaves: true)
        last = (try? store.readHistory { try $0.bounds.last }) ?? nil
        let subscription = store.followCommits { [weak self] news in
            guard let self else { return }
            queue.async { self.hear(news) }
        }
        lock.withLock { self.subscription = subscription }
        // Catches commits between the two reads above.
        queue.async { [self] in lookSoon() }
    }

    func end() {
        let ended = lock.withLock {
            isEnded = true
            defer { subscription = nil }
            return subscription
        }
        _ = ended
    }

    private var isOver: Bool { lock.withLock { isEnded } }

    private func hear(_ news: CommitNews) {
        if isOver { return }
        guard news.isOfThisProcess else {
            burst += 1
            lookSoon()
            return
        }
        // Marks the commit as seen, so that the look caused by its own write finds nothing new.
        if !news.isOwn { _ = try? store.lookForCommits(duringSaves: true) }
        advance(to: news.number, isOwn: news.isOwn, isNoticed: false)
    }

    // MARK: Commits of other processes

    private func lookSoon() {
        if isLookDue { return }
        isLookDue = true
        queue.async { [self] in
            isLookDue = false
            look(0, burst)
        }
    }

    /// - Parameter attempt: the number of earlier looks in this burst.
    private func look(_ attempt: Int, _ burst: Int) {
        if isOver || burst != self.burst { return }
        let sighting: CommitSighting
        do {
            guard let seen = try store.lookForCommits(duringSaves: false) else {
                return later(Self.saveDelay) { $0.look(attempt, burst) }
            }
            sighting = seen
        } catch {
            // A locked file is checked again later; a closed store ends its follower.
            if attempt < Self.delays.count { later(Self.delays[attempt]) { $0.look(attempt + 1, burst) } }
            return
        }
        if sighting.isForeign {
            advance(to: sighting.last, isOwn: false, isNoticed: true)
        }
        if attempt < Self.delays.count { later(Self.delays[attempt]) { $0.look(attempt + 1, burst) } }
    }

    private func later(_ milliseconds: Int, _ body: @escaping @Sendable (StoreFollower) -> Void) {
        queue.asyncAfter(deadline: .now() + .milliseconds(milliseconds)) { [weak self] in
            if let self { body(self) }
        }
    }

    // MARK: News

    /// - Parameter isNoticed: whether a look has found the commit, so that no subscription has reported it.
    private func advance(to number: Int64?, isOwn: Bool, isNoticed: Bool) {
        guard let number else {
            if !isOwn { forgetAllRows() }
            return post(last)
        }
        let before = last ?? 0
        if number > before {
            last = number
            takeOver((before + 1)...number, isOwn: isOwn)
            let first = number - before > Self.mostNotifications ? number : before + 1
            for number in first...number { post(number) }
        } else if isNoticed {
            // Another program has written without recording a history.
            forgetAllRows()
            post(last)
        }
    }

    private func forgetAllRows() { (store as? any RecordStore)?.rowCache.forgetAll() }

    /// Drops the rows that other coordinators have changed, and merges their transactions into contexts.
    private func takeOver(_ numbers: ClosedRange<Int64>, isOwn: Bool) {
        let own = store.ownTransactions.take(numbers)
        if own.count == numbers.count { return }
        var ids: [NSPersistentHistoryChangeType: [NSManagedObjectID]] = [:]
        do {
            _ = try store.readHistory { source in
                try source.changes(of: numbers) { change in
                    if !own.contains(change.transaction) {
                        ids[change.type, default: []].append(
                            NSManagedObjectID(layout: change.layout, key: change.key, home: store.identity))
                    }
                    return true
                }
            }
        } catch {
            // A history that cannot be read may contain any change.
            return forgetAllRows()
        }
        guard let coordinator, !ids.isEmpty else { return }
        let (updated, deleted) = (ids[.update] ?? [], ids[.delete] ?? [])
        coordinator.forgetRows(updated + deleted)
        if !posts { return }
        for context in coordinator.followers.all() {
            (context as any TransactionMerging).mergeLater(
                inserted: ids[.insert] ?? [], updated: updated, deleted: deleted)
        }
    }

    private func post(_ number: Int64?) {
        changes?.tellListeners()
        guard posts, !isOver, let coordinator else { return }
        var info: [AnyHashable: Any] = [NSStoreUUIDKey: store.identifier ?? ""]
        info[NSPersistentStoreURLKey] = store.url
        if let number { info[NSPersistentHistoryTokenKey] = NSPersistentHistoryToken([store.identifier: number]) }
        NotificationCenter.default.post(name: .NSPersistentStoreRemoteChange, object: coordinator, userInfo: info)
    }
}
