// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Dates have one text in all commands, which is never that of a later second.

import CoreData
import CoreDataExchange
import Foundation
import Testing

@testable import CoreDataToolKit

@Suite("Texts of dates") struct DateTextTests {
    @Test("a date keeps all its digits, and is read back as the same number")
    func exact() {
        for seconds in [
            0, 0.1, -0.25, 346_852_361.600_12, 703_259_921.686_049, 725_846_400.123_456_7, -63_114_076_800,
            -13_197_600_000.5, 252_423_993_599,
        ] {
            let text = DateText.exact(seconds)
            #expect(text.flatMap(DateText.seconds) == seconds, "\(text ?? "no text of \(seconds)")")
        }
        #expect(DateText.text(703_259_921.686_049) == "2023-04-15T13:58:41.686049Z")
        #expect(DateText.exact(1e-10) == "2001-01-01T00:00:00.000000000100Z")
        #expect(DateText.exact(252_423_993_600) == nil && DateText.exact(.nan) == nil)
        #expect(DateText.text(252_423_993_600).hasSuffix("s since 2001"))
        // An exact text would need more than twelve digits.
        #expect(DateText.exact(1e-20) == nil && DateText.text(1e-20) == "2001-01-01T00:00:00.000000000Z")
    }

    @Test("a date just before midnight stays on its day")
    func midnight() {
        for seconds in [86_399.999_6, 86_399.999_999_9, 725_846_399.999_9, (86_400.0).nextDown, (-86_400.0).nextDown] {
            let day = DateText.text(seconds.rounded(.down)).prefix(19)
            #expect(DateText.text(seconds).hasPrefix(day) && DateText.sortable(seconds).hasPrefix(day), "\(seconds)")
        }
        #expect(DateText.sortable(86_399.999_6) == "2001-01-01T23:59:59.999600Z")
        #expect(DateText.sortable((86_400.0).nextDown) == "2001-01-01T23:59:59.999999Z")
    }

    @Test("texts are those of Foundation, in all years and in both calendars")
    func foundation() {
        let style = Date.ISO8601FormatStyle(includingFractionalSeconds: false)
        var wrong: [Double] = []
        var seconds = DateText.range.lowerBound
        // The step is no multiple of a day, and meets all months.
        while seconds < DateText.range.upperBound {
            let date = Date(timeIntervalSinceReferenceDate: seconds)
            if DateText.text(seconds) != date.formatted(style) { wrong.append(seconds) }
            seconds += 86_400 * 371 + 12_345
        }
        for year in 1599...2401 {
            for day in ["01-01T00:00:00Z", "02-28T23:59:59Z", "03-01T00:00:00Z", "12-31T23:59:59Z"] {
                let text = "\(year)-\(day)"
                if DateText.seconds(text).map(DateText.text) != text { wrong.append(Double(year)) }
            }
        }
        #expect(wrong == [])
    }

    @Test("the order of sortable texts is that of the dates")
    func order() {
        let dates: [Double] = [-63_114_076_800, -13_197_600_000, -1, -0.5, 0, 1e-5, 0.25, 0.999_999_9, 1, 725_846_400]
        let texts = dates.map(DateText.sortable)
        #expect(texts == texts.sorted() && Set(texts).count == texts.count, "\(texts)")
    }

    @Test("query, sql and export write the same date")
    func commands() throws {
        let garage = try Garage(cars: 3)
        try garage.execute(
            "UPDATE ZCAR SET ZBUILT = 86399.9996 WHERE Z_PK = 1",
            "UPDATE ZCAR SET ZBUILT = -63114076800 WHERE Z_PK = 2", "UPDATE ZCAR SET ZBUILT = NULL WHERE Z_PK = 3")
        let queried = try garage.rows(Query(entityName: "Car", sortKeys: ["name"], selection: ["built"]))
        #expect(queried == [["2001-01-01T23:59:59.999600Z"], ["0001-01-01T00:00:00Z"], [""]])
        let collector = QueryResult.Collector()
        try NamedViews(garage.url).run("SELECT built FROM Car ORDER BY name", into: collector)
        #expect(
            collector.result.rows.map { $0.cells[0].tableText } == [
                "2001-01-01T23:59:59.999600Z", "0001-01-01T00:00:00.000000Z", "",
            ])
        var lines = ""
        _ = try StoreExport.write(RowStore(garage.url), entity: "Car", format: .jsonl) { lines += $0 }
        #expect(lines.contains("\"2001-01-01T23:59:59.999600Z\""), "\(lines)")
        #expect(lines.contains("\"0001-01-01T00:00:00Z\""), "\(lines)")
        #expect(try garage.cars("built == '2001-01-01T23:59:59.9996Z'") == ["car 1"])
        #expect(try garage.cars("built == '0001-01-01T00:00:00Z'") == ["car 2"])
    }
}
