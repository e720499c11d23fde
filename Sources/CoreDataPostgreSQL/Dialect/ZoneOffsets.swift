// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The offsets of a time zone from UTC, as a table for statements. Aggregates-10.

import Foundation

/// The transitions of a time zone within a range of time, in which local dates follow one another without a gap of
/// days and without repetition.
struct ZoneOffsets {
    /// 1950: the calendar of Foundation has no weeks in some earlier years of zones that skipped a day.
    private static let earliest = Date(timeIntervalSinceReferenceDate: -1_609_459_200)
    /// 2100. The rules of a time zone have no end.
    private static let latest = Date(timeIntervalSinceReferenceDate: 3_124_224_000)
    private static let day = 86_400
    private static let week = 7 * Double(day)

    private(set) var start = earliest
    let end = latest
    private(set) var transitions: [Date] = []
    /// In seconds: before the first transition, and after each of them.
    private(set) var offsets: [Int]

    /// - Parameter wholeHours: whether the range is one in which clocks move by whole hours only.
    init(_ zone: TimeZone, wholeHours: Bool) {
        var last = zone.secondsFromGMT(for: Self.earliest)
        offsets = [last]
        var date = Self.earliest
        while let transition = zone.nextDaylightSavingTimeTransition(after: date), transition > date,
            transition < Self.latest
        {
            let offset = zone.secondsFromGMT(for: transition)
            if wholeHours, (offset - last) % 3_600 != 0 {
                restart(at: transition, offset)
            } else if let blurred = Self.blurred(transition, last, offset) {
                restart(at: blurred, offset)
            } else {
                transitions.append(transition)
                offsets.append(offset)
            }
            date = transition
            last = offset
        }
    }

    private mutating func restart(at date: Date, _ offset: Int) {
        start = date
        transitions = []
        offsets = [offset]
    }

    /// The first instant after a transition that repeats a part of a day after midnight, or changes the date.
    private static func blurred(_ transition: Date, _ last: Int, _ offset: Int) -> Date? {
        if abs(offset - last) > day / 2 { return transition + week }
        let instant = Int(transition.timeIntervalSinceReferenceDate)
        let (before, after) = (instant + last, instant + offset)
        func dayNumber(_ seconds: Int) -> Int { Int((Double(seconds) / Double(day)).rounded(.down)) }
        guard after < before, before % day != 0, dayNumber(before) != dayNumber(after) else { return nil }
        return transition + Double(day)
    }
}
