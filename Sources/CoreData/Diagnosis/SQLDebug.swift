// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// How much of the SQL that stores run is told.

/// The setting that Core Data users know as `-com.apple.CoreData.SQLDebug 1`.
///
/// 1: each statement and its time. 2: the number of rows as well. 3: the values in their places as well. 4: the plan of
/// each statement as well.
enum SQLDebug {
    static let key = "com.apple.CoreData.SQLDebug"

    /// 0 tells nothing. Decided when the first store is opened.
    static let level = level(ProgramSetting(key: key).value)

    /// A number below 1 is none, one above 4 is 4; a word for yes is 1.
    static func level(_ value: String?) -> Int {
        guard let value else { return 0 }
        if let number = Int(value) { return min(max(number, 0), 4) }
        return ProgramSetting.isYes(value) ? 1 : 0
    }
}
