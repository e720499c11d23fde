// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Calls a function while statements run, which can end them.

import CSQLite

extension Connection {
    /// Sets the function that is called repeatedly while statements run; nil removes it.
    ///
    /// - Parameters:
    ///   - steps: the number of instructions of SQLite's virtual machine between two calls. A row takes about twenty.
    ///   - isEnd: returns true to end the statement with `isInterrupted`, which rolls back the whole transaction if the
    ///     statement writes.
    package func setWatch(every steps: Int32 = 1000, _ isEnd: (() -> Bool)?) {
        guard let isEnd else {
            sqlite3_progress_handler(handle, 0, nil, nil)
            watch = nil
            return
        }
        let watch = Watch(isEnd)
        sqlite3_progress_handler(
            handle, steps,
            { context in
                guard let context else { return 0 }
                return CallbackObject.object(at: context, as: Watch.self).isEnd() ? 1 : 0
            }, CallbackObject.address(of: watch))
        // The connection retains the object that SQLite has a raw pointer to.
        self.watch = watch
    }
}

final class Watch {
    let isEnd: () -> Bool

    init(_ isEnd: @escaping () -> Bool) { self.isEnd = isEnd }
}
