// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The lock of one word: mutual exclusion, and waiters that sleep.

import CRuntime
import Foundation
import Testing

/// Queues-14.
@Suite("The lock of one word", .serialized)
struct LockTests {
    @Test("only one thread at a time is inside") func exclusion() {
        let shared = Shared()
        DispatchQueue.concurrentPerform(iterations: 8) { _ in for _ in 0..<20_000 { shared.locked { $0 += 1 } } }
        #expect(shared.locked { $0 } == 160_000)
    }

    @Test("threads that wait for a holder that does not run leave the processor to others") func sleepingWaiters() {
        let shared = Shared()
        let times = Times()
        let group = DispatchGroup()
        shared.locked { _ in
            for _ in 0..<4 {
                group.enter()
                Thread {
                    let before = Times.ofThisThread
                    shared.locked { $0 += 1 }
                    times.add(Times.ofThisThread - before)
                    group.leave()
                }.start()
            }
            Thread.sleep(forTimeInterval: 0.5)
        }
        group.wait()
        #expect(shared.locked { $0 } == 4)
        // Each waits for half a second. A spinning waiter would use all of that as processor time.
        #expect(times.all.count == 4)
        #expect(times.all.allSatisfy { $0 < 0.1 }, "\(times.all)")
    }
}

/// A number under such a lock.
private final class Shared: @unchecked Sendable {  // `value` is guarded by `lock`
    private let lock: UnsafeMutablePointer<ocd_lock>
    private var value = 0

    init() {
        lock = .allocate(capacity: 1)
        lock.initialize(to: ocd_lock())
    }

    deinit { lock.deallocate() }

    func locked<Result>(_ body: (inout Int) -> Result) -> Result {
        ocd_acquire(lock)
        defer { ocd_release(lock) }
        return body(&value)
    }
}

/// Processor time, in seconds.
private final class Times: @unchecked Sendable {  // `values` is guarded by `lock`
    private let lock = NSLock()
    private var values: [Double] = []

    var all: [Double] { lock.withLock { values } }
    func add(_ time: Double) { lock.withLock { values.append(time) } }

    static var ofThisThread: Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
