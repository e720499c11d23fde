// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Calls a function at Ctrl-C instead of ending the program.

package import Dispatch
import Foundation

/// The signals that ask a program to end: SIGINT (Ctrl-C), SIGTERM, and SIGHUP (the terminal was closed). While this
/// object is active, they call a function instead of their former handlers.
///
/// Signals belong to the whole process, and programs that it starts inherit the ignored ones. A process that starts
/// others should have such an object only while it starts none.
package final class TerminationSignals {
    package static let all = [SIGHUP, SIGINT, SIGTERM]

    private let sources: [any DispatchSourceSignal]
    private let isIdle = DispatchSemaphore(value: 0)
    private let handlers: [(number: Int32, before: SignalHandler)]

    /// Begins to call `handler` on the queue, and waits until no signal can be lost. The caller must not run on a
    /// serial `queue`. A signal that the process ignores, as `nohup` makes it, stays ignored.
    package init(_ numbers: [Int32] = all, queue: DispatchQueue, handler: @escaping @Sendable () -> Void) {
        // A signal source does not replace the default action, so the default action must go.
        let handlers = numbers.map { (number: $0, before: SignalHandler.ignore($0)) }
        self.handlers = handlers
        sources = handlers.filter { !$0.before.isIgnoring }.map { number, _ in
            let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
            source.setEventHandler(handler: handler)
            let isListening = DispatchSemaphore(value: 0)
            source.setRegistrationHandler { isListening.signal() }
            source.resume()
            isListening.wait()
            return source
        }
    }

    /// Stops calling the function, and restores the former handlers. The caller must not run on a serial
    /// `queue`.
    package func cancel() {
        for source in sources {
            source.setCancelHandler { [isIdle] in isIdle.signal() }
            source.cancel()
        }
        // A signal now would go to a source that still exists, and not to its former handler.
        for _ in sources { isIdle.wait() }
        for (number, before) in handlers { before.restore(number) }
    }
}
