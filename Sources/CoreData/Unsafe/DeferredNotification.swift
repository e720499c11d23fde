// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Posts a notification, and makes its contents only if something observes it.

package import Foundation

#if canImport(FoundationEssentials) && compiler(>=6.3) && compiler(<6.4) && !OCD_PORTABLE
    @_spi(SwiftCorelibsFoundation) internal import FoundationEssentials
#endif

/// A notification that makes its contents when the first observer receives it.
///
/// Assumption: the notification center of Foundation on Linux and Windows passes a message of any type to each observer
/// of the name or of the object, and the observer casts it to `Notification`. The cast of an `NSNotification` reads
/// `userInfo`. The function that does so is meant for Foundation's own modules, so it is called with the compilers that
/// were tried. Others, Apple's systems, and `OCD_PORTABLE` make the contents first.
private final class DeferredNotification: NSNotification {
    private var contents: (() -> [AnyHashable: Any])?
    private var made: [AnyHashable: Any] = [:]

    init(_ name: Notification.Name, _ object: AnyObject?, _ contents: @escaping () -> [AnyHashable: Any]) {
        self.contents = contents
        super.init(name: name, object: object, userInfo: nil)
    }

    required convenience init?(coder: NSCoder) { nil }

    /// Made once for all observers.
    override var userInfo: [AnyHashable: Any]? {
        if let contents {
            self.contents = nil
            made = contents()
        }
        return made
    }
}

extension NotificationCenter {
    /// Posts a notification.
    ///
    /// - Parameter contents: makes the `userInfo`: before any observer is called, at most once, and not at all if
    ///   nothing observes the notification.
    package func post(
        _ name: Notification.Name, of object: AnyObject?, contents: @escaping () -> [AnyHashable: Any]
    ) {
        #if canImport(FoundationEssentials) && compiler(>=6.3) && compiler(<6.4) && !OCD_PORTABLE
            _post(name.rawValue, subject: object, message: DeferredNotification(name, object, contents))
        #else
            post(name: name, object: object, userInfo: contents())
        #endif
    }
}
