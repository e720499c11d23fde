// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The code of the guide about moving an app: what takes the place of absent parts of Foundation.

import CoreDataModeling
import Foundation
import Testing

// snippet: notifications
#if !canImport(ObjectiveC)
    extension NotificationCenter {
        func notifications(named name: Notification.Name, object: AnyObject? = nil) -> AsyncStream<Notification> {
            AsyncStream { continuation in
                nonisolated(unsafe) let token = addObserver(forName: name, object: object, queue: nil) {
                    nonisolated(unsafe) let notification = $0
                    continuation.yield(notification)
                }
                continuation.onTermination = { _ in self.removeObserver(token) }
            }
        }
    }
#endif
// end

@Suite("Moving an app") struct MovingAnApp {
    @Test("notifications arrive as a sequence, from its creation to its end") func notifications() async {
        let (center, name) = (NotificationCenter(), Notification.Name("saved"))
        let stream = center.notifications(named: name)
        center.post(name: name, object: nil, userInfo: ["count": 1])
        center.post(name: Notification.Name("other"), object: nil)
        center.post(name: name, object: nil, userInfo: ["count": 2])
        var counts: [Int?] = []
        for await notification in stream {
            counts.append(notification.userInfo?["count"] as? Int)
            if counts.count == 2 { break }
        }
        #expect(counts == [1, 2])
    }

    @Test("the substitutes for absent formatters, folders and archives work") func substitutes() throws {
        let (length, english) = (Measurement(value: 1.5, unit: UnitLength.meters), Locale(identifier: "en_US"))
        #expect("\(length.value.formatted(.number.locale(english))) \(length.unit.symbol)" == "1.5 m")
        #expect(["a", "b"].formatted(.list(type: .and).locale(english)) == "a and b")
        #expect(Duration.seconds(75).formatted(.time(pattern: .minuteSecond)) == "1:15")
        #expect(!Date().formatted(.relative(presentation: .named)).isEmpty)
        #expect(NSLocalizedString("Untitled", comment: "") == "Untitled")
        #expect(FileManager.default.urls(for: .applicationSupportDirectory, in: .userDomainMask).count == 1)
        let names = ["a10", "é", "f", "A9"].sorted { $0.localizedStandardCompare($1) == .orderedAscending }
        #expect(names == ["A9", "a10", "é", "f"])
        let data = try NSKeyedArchiver.archivedData(withRootObject: ["a"] as NSArray, requiringSecureCoding: true)
        let list = try NSKeyedUnarchiver.unarchivedObject(ofClasses: [NSArray.self, NSString.self], from: data)
        #expect(list as? [String] == ["a"])
    }
}
