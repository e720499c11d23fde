// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Tells whether this thread may be inside of `withObservationTracking`, at the cost of two loads.

import CRuntime
import Dispatch
import Foundation
import Observation

/// Swift's Observation notes reads through `ObservationRegistrar.access`, which costs ten nanoseconds and a registrar
/// for each object even where nobody tracks: ten times what reading a property costs. What it asks first is a
/// thread-local pointer that is set inside of tracking scopes, and that nobody else can name. So it is looked for,
/// once: the one thread-local word that points into the frames of a scope while it runs and is null otherwise, at the
/// same place in two threads.
///
/// Where there is not exactly one such word (another system, another version), every read asks the registrar: slower,
/// never wrong.
enum TrackingScope {
    /// `false` is certain. The first reads of a process are answered with `true`.
    @inline(__always) static var mayBeActive: Bool { ocd_may_be_tracking() }

    /// As `mayBeActive`, after the word has been looked for.
    static var isActive: Bool {
        _ = isWordKnown
        return ocd_may_be_tracking()
    }

    /// Whether reads outside of tracking scopes are free on this system.
    static let isWordKnown: Bool = {
        guard let offset = searchOnAnotherThread(), leads(offset) else { return false }
        ocd_set_tracking_word(offset)
        return true
    }()

    /// A new thread is outside of all scopes, which the first reader need not be.
    private static func searchOnAnotherThread() -> Int? {
        let answer = Answer()
        let thread = Thread { answer.give(search()) }
        thread.start()
        return answer.wait()
    }

    private static func search() -> Int? {
        var offset: Int?
        insideScope { low, high in
            var found = 0
            offset = ocd_find_thread_words(low, high, &found) == 1 ? found : nil
        }
        guard let offset, ocd_thread_word(offset) == nil, leads(offset), ocd_thread_word(offset) == nil else {
            return nil
        }
        return offset
    }

    /// Whether the word points into the frames of a scope that is running.
    private static func leads(_ offset: Int) -> Bool {
        var result = false
        insideScope { low, high in
            let address = UInt(bitPattern: ocd_thread_word(offset))
            result = low < address && address < high
        }
        return result
    }

    /// - Parameter body: gets an address in its own frame and one in the frame that opened the scope.
    private static func insideScope(_ body: (_ low: UInt, _ high: UInt) -> Void) {
        var outer: UInt8 = 0
        withUnsafeMutablePointer(to: &outer) { outer in
            withObservationTracking {
                var inner: UInt8 = 0
                withUnsafeMutablePointer(to: &inner) { body(UInt(bitPattern: $0), UInt(bitPattern: outer)) }
            } onChange: {
            }
        }
    }

    private final class Answer: @unchecked Sendable {  // written before `isGiven` is signalled, read after
        private let isGiven = DispatchSemaphore(value: 0)
        private var offset: Int?

        func give(_ offset: Int?) {
            self.offset = offset
            isGiven.signal()
        }

        func wait() -> Int? {
            isGiven.wait()
            return offset
        }
    }
}
