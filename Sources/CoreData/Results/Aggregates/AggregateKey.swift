// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The values by which a query groups objects: attributes, and parts of dates. Aggregates-8.

import CoreDataFoundation
public import Foundation

/// A value that the objects of a group share: an attribute, or the year, quarter, month, week, day or hour of a date.
///
/// ```swift
/// var calendar = Calendar(identifier: .gregorian)
/// calendar.timeZone = TimeZone(identifier: "Europe/Berlin") ?? .gmt
/// let months = try context.aggregate(Memo.self, by: .month(\.created, in: calendar)) { $0.count }
/// for month in months { print(month.key ?? "no date", month.value) }
/// ```
///
/// A period is its first instant, as `Calendar.dateInterval(of:for:)` gives it. The calendar decides with its time zone
/// and its first weekday, so give it both. Objects without a date are one group, with the key nil.
public struct AggregateKey<Root, Value> {
    package let untyped: UntypedAggregateKey

    private init(_ path: AnyKeyPath) {
        untyped = UntypedAggregateKey(path: path, part: nil, obstacle: nil)
    }

    private init(_ path: AnyKeyPath, _ unit: DatePart.Unit, _ calendar: Calendar) {
        self.init(path, unit, isPeriod: true, unit.component, calendar)
    }

    private init(_ path: AnyKeyPath, _ component: Calendar.Component, _ calendar: Calendar) {
        self.init(path, DatePart.Unit(component), isPeriod: false, component, calendar)
    }

    private init(
        _ path: AnyKeyPath, _ unit: DatePart.Unit?, isPeriod: Bool, _ component: Calendar.Component,
        _ calendar: Calendar
    ) {
        var part: DatePart?
        var obstacle: String?
        if let unit, DatePart.has(unit, calendar) {
            part = DatePart(unit, isPeriod: isPeriod, in: calendar)
        } else {
            let place = unit == nil ? "" : " in the calendar '\(calendar.identifier)'"
            obstacle = "groups by the component '\(component)' do not exist\(place)."
        }
        untyped = UntypedAggregateKey(path: path, part: part, obstacle: obstacle)
    }

    /// The value of an attribute or of a to-one relationship.
    public static func value(_ path: KeyPath<Root, Value>) -> Self { Self(path) }
}

extension AggregateKey where Value == Date {
    /// The year of a date, as its first instant.
    public static func year(_ path: KeyPath<Root, Date>, in calendar: Calendar) -> Self {
        Self(path, DatePart.Unit.year, calendar)
    }
    /// The quarter of a date in its year, as its first instant: three months of the calendar.
    ///
    /// A calendar with years of thirteen months has no quarters: the query throws an `AggregateError`.
    public static func quarter(_ path: KeyPath<Root, Date>, in calendar: Calendar) -> Self {
        Self(path, DatePart.Unit.quarter, calendar)
    }
    /// The month of a date in its year, as its first instant.
    public static func month(_ path: KeyPath<Root, Date>, in calendar: Calendar) -> Self {
        Self(path, DatePart.Unit.month, calendar)
    }
    /// The week of a date, as its first instant. It begins with the calendar's first weekday.
    public static func week(_ path: KeyPath<Root, Date>, in calendar: Calendar) -> Self {
        Self(path, DatePart.Unit.weekOfYear, calendar)
    }
    /// The day of a date, as its first instant.
    public static func day(_ path: KeyPath<Root, Date>, in calendar: Calendar) -> Self {
        Self(path, DatePart.Unit.day, calendar)
    }
    /// The hour of a date, as its first instant. An hour that is repeated when clocks are put back is two hours.
    public static func hour(_ path: KeyPath<Root, Date>, in calendar: Calendar) -> Self {
        Self(path, DatePart.Unit.hour, calendar)
    }
}

extension AggregateKey where Value == Date? {
    /// The year of a date, as its first instant; nil for no date.
    public static func year(_ path: KeyPath<Root, Date?>, in calendar: Calendar) -> Self {
        Self(path, DatePart.Unit.year, calendar)
    }
    /// The quarter of a date in its year, as its first instant; nil for no date. The calendar has twelve months.
    public static func quarter(_ path: KeyPath<Root, Date?>, in calendar: Calendar) -> Self {
        Self(path, DatePart.Unit.quarter, calendar)
    }
    /// The month of a date in its year, as its first instant; nil for no date.
    public static func month(_ path: KeyPath<Root, Date?>, in calendar: Calendar) -> Self {
        Self(path, DatePart.Unit.month, calendar)
    }
    /// The week of a date, as its first instant; nil for no date. It begins with the calendar's first weekday.
    public static func week(_ path: KeyPath<Root, Date?>, in calendar: Calendar) -> Self {
        Self(path, DatePart.Unit.weekOfYear, calendar)
    }
    /// The day of a date, as its first instant; nil for no date.
    public static func day(_ path: KeyPath<Root, Date?>, in calendar: Calendar) -> Self {
        Self(path, DatePart.Unit.day, calendar)
    }
    /// The hour of a date, as its first instant; nil for no date.
    public static func hour(_ path: KeyPath<Root, Date?>, in calendar: Calendar) -> Self {
        Self(path, DatePart.Unit.hour, calendar)
    }
}

extension AggregateKey where Value == Int {
    /// The number of a component of a date, such as its weekday: 1 for Sunday.
    ///
    /// - Parameters:
    ///   - component: `.year`, `.quarter`, `.month`, `.weekOfYear`, `.yearForWeekOfYear`, `.day`, `.dayOfYear`,
    ///     `.weekday`, `.hour` or `.minute`. Others are an `AggregateError` of the query, and so are quarters of a
    ///     calendar with years of thirteen months.
    ///   - path: the date.
    ///   - calendar: with its time zone.
    public static func component(
        _ component: Calendar.Component, of path: KeyPath<Root, Date>, in calendar: Calendar
    ) -> Self { Self(path, component, calendar) }
}

extension AggregateKey where Value == Int? {
    /// The number of a component of a date, such as its weekday; nil for no date.
    ///
    /// The component is one of those for dates that are not optional.
    public static func component(
        _ component: Calendar.Component, of path: KeyPath<Root, Date?>, in calendar: Calendar
    ) -> Self { Self(path, component, calendar) }
}

/// A key of groups without the types of the query.
package struct UntypedAggregateKey {
    let path: AnyKeyPath
    /// nil for the value of the key path.
    let part: DatePart?
    /// The reason why no groups can be made; nil for a right key.
    let obstacle: String?
}

/// A key as a column of the stores' answer.
struct AggregateKeyColumn {
    let path: String
    let name: String
    /// An entry of `propertiesToFetch` and `propertiesToGroupBy`.
    let property: Any

    init(_ key: UntypedAggregateKey, at position: Int, _ recorder: AggregateRecorder) {
        let path = recorder.name(of: key.path)
        if let obstacle = key.obstacle { recorder.fail(.unsupportedComponent, property: path, obstacle) }
        // No attribute has a name with a space.
        let name = key.part == nil ? path : "part \(position)"
        property = key.part.map { DatePartProperty(name: name, path: path, part: $0) } ?? path
        (self.path, self.name) = (path, name)
    }
}
