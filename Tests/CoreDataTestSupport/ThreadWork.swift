// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Work on several threads at once.

import Dispatch
import Foundation

/// Runs a body on separate threads, one for each number, and waits for all of them.
///
/// Not `DispatchQueue.concurrentPerform`: if other tests keep the thread pool busy, it runs one call after the other,
/// and tests of concurrency prove nothing.
public func onThreads(_ count: Int, _ body: @escaping @Sendable (_ number: Int) -> Void) {
    let group = DispatchGroup()
    for number in 0..<count {
        group.enter()
        let thread = Thread {
            body(number)
            group.leave()
        }
        thread.start()
    }
    group.wait()
}
