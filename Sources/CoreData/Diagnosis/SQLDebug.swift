// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Reads the level of detail at which stores log their SQL.

/// The setting `-com.apple.CoreData.SQLDebug 1`, known from Apple's framework.
///
/// 1 logs each statement and its time. 2 adds the number of rows, 3 the bound values, 4 the query plan
/// of each statement.
enum SQLDebug {
    static let key = "com.apple.CoreData.SQLDebug"

    /// 0 logs nothing. Read when the first store is opened.
    static let level = level(ProgramSetting(key: key).value)

    /// Clamps the number to 0...4; a word for yes means 1.
    static func level(_ value: String?) -> Int {
        guard let value else { return 0 }
        if let number = Int(value) { return min(max(number, 0), 4) }
        return ProgramSetting.isYes(value) ? 1 : 0
    }
}
