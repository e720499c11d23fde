// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Waits for the lock of another connection, and measures the time.

import CSQLite
import Foundation

/// The pauses of a call that meets a lock, until the lock is free or the time is over. They are those of
/// `sqlite3_busy_timeout`, which does not report the time that it has waited.
final class LockWait {
    /// In milliseconds; the last one is repeated.
    private static let pauses = [1, 2, 5, 10, 15, 20, 25, 25, 25, 50, 50, 100]

    /// Longer times count as this one, of 24 days.
    private static let longest = Duration.milliseconds(Int64(Int32.max))

    var timeout = Duration.zero {
        didSet { timeout = max(.zero, min(timeout, Self.longest)) }
    }
    /// Called with the length of each pause.
    var onPause: (@Sendable (Duration) -> Void)?
    private var end = ContinuousClock.now

    /// - Parameter number: how often this call has met the lock before.
    /// - Returns: whether to try again; false if the time is over.
    func pause(_ number: Int) -> Bool {
        let start = ContinuousClock.now
        if number == 0 { end = start + timeout }
        guard start < end else { return false }
        let pause = Duration.milliseconds(Self.pauses[min(number, Self.pauses.count - 1)])
        Thread.sleep(forTimeInterval: min(pause, end - start) / .seconds(1))
        onPause?(.now - start)
        return true
    }
}

extension Connection {
    /// Reports the time that calls wait for locks of other connections, also those of other processes: the body is
    /// called after each pause, in the thread that has waited. nil reports nothing.
    package func onLockWait(_ body: (@Sendable (Duration) -> Void)?) { lockWait.onPause = body }

    /// The time that a call waits for the lock of another connection.
    package var busyTimeout: Duration { lockWait.timeout }

    /// Sets the time that a call waits for the lock of another connection.
    package func setBusyTimeout(_ timeout: Duration) {
        lockWait.timeout = timeout
        guard timeout > .zero else {
            sqlite3_busy_handler(handle, nil, nil)
            return
        }
        sqlite3_busy_handler(
            handle,
            { context, number in
                guard let context else { return 0 }
                return CallbackObject.object(at: context, as: LockWait.self).pause(Int(number)) ? 1 : 0
            }, CallbackObject.address(of: lockWait))
    }
}
