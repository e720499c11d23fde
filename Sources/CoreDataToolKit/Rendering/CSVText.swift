// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Writes rows as comma-separated values (RFC 4180).

import CoreDataModelFiles

/// Writes comma-separated values.
public enum CSVText {
    /// Lines end with CR LF, as in the RFC.
    public static func text(columns: [String], rows: [[String]]) -> String {
        ([columns] + rows).map(line).joined()
    }

    /// One line with its end.
    public static func line(_ fields: [String]) -> String { fields.map(field).joined(separator: ",") + "\r\n" }

    /// Quoted if it contains a comma, a quote, a line break, or spaces at its ends.
    public static func field(_ text: String) -> String {
        let needsQuotes =
            text.unicodeScalars.contains { $0 == "," || $0 == "\"" || $0 == "\n" || $0 == "\r" }
            || text.first == " " || text.last == " "
        return needsQuotes ? "\"" + text.replacingEach("\"", with: "\"\"") + "\"" : text
    }
}
