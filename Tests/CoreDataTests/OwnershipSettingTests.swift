// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The sources of the ownership check's setting.

import Foundation
import Testing

@testable import CoreData

/// Proves: P4
@Suite("The setting of the ownership check") struct OwnershipSettingTests {
    private let key = "com.apple.CoreData.ConcurrencyDebug"

    private func setting(_ arguments: [String] = [], _ environment: String? = nil, _ defaults: Any? = nil) -> Bool? {
        let setting = ProgramSetting(key: key)
        return setting.value(["app"] + arguments, environment.map { [key: $0] } ?? [:]) { $0 == key ? defaults : nil }
            .map(ProgramSetting.isYes)
    }

    @Test("is an argument with a value") func arguments() {
        #expect(setting(["-" + key, "1"]) == true)
        #expect(setting(["-" + key, "YES"]) == true)
        #expect(setting(["-" + key, "0"]) == false)
        for no in ["no", "False", "off", ""] { #expect(setting(["-" + key, no]) == false, "\(no)") }
        #expect(setting(["-" + key]) == nil)
        #expect(setting([key, "1"]) == nil)
    }

    @Test("or is in the environment, or in the defaults") func others() {
        #expect(setting([], "1") == true)
        #expect(setting([], "0") == false)
        #expect(setting([], nil, 1) == true)
        #expect(setting([], nil, "0") == false)
        #expect(setting([], nil, false) == false)
        #expect(setting() == nil)
    }

    @Test("the command line wins over the environment, and that over the defaults") func order() {
        #expect(setting(["-" + key, "0"], "1", "1") == false)
        #expect(setting([], "0", "1") == false)
    }
}
