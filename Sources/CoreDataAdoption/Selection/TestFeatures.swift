// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Recognizes the features of XCTest that Linux lacks.

import CoreDataGeneration

/// The compiler's message for such a name is "cannot find … in scope", of each use. The names are known, so the report
/// says of each test what it needs, and a round of the compiler is saved.
enum TestFeatures {
    /// The features by name, with the sentence that says what a person can do; "" for none.
    private static let missing: [String: String] = [
        "XCTExpectFailure": "Swift Testing has withKnownIssue.",
        "XCTExpectedFailure": "Swift Testing has withKnownIssue.",
        "XCTMeasureOptions": measuring, "XCTClockMetric": measuring, "XCTCPUMetric": measuring,
        "XCTMemoryMetric": measuring, "XCTStorageMetric": measuring, "XCTOSSignpostMetric": measuring,
        "XCTHitchMetric": measuring,
        "XCTKVOExpectation": observing, "keyValueObservingExpectation": observing,
        "XCTDarwinNotificationExpectation": "XCTNSNotificationExpectation is there.",
        "XCTAttachment": "", "XCTContext": "", "XCTActivity": "", "XCTIssue": "XCTFail is there.",
        "XCTSourceCodeContext": "", "executionTimeAllowance": "",
        "XCUIApplication": screen, "XCUIElement": screen, "XCUIDevice": screen, "XCUIScreen": screen,
        "XCUIElementQuery": screen, "XCTApplicationLaunchMetric": screen, "addUIInterruptionMonitor": screen,
    ]

    private static let measuring = "measure { } is there, without options and metrics."
    private static let observing = "Linux has no key-value observing; XCTNSPredicateExpectation is there."
    private static let screen = "It needs a screen."

    /// The reason for leaving out a test; nil if XCTest on Linux has all that it names.
    static func reason(in tokens: ArraySlice<SwiftToken>) -> String? {
        for index in tokens.indices where tokens[index].kind == .word {
            let name = tokens[index].text
            if let sentence = missing[name] { return reason("'\(name)'", sentence) }
            if let sentence = missingArgument(index, tokens) { return sentence }
        }
        return nil
    }

    /// `measure(metrics:)`, `measure(options:)` and `expectation(that:on:willEqual:)`.
    private static func missingArgument(_ index: Int, _ tokens: ArraySlice<SwiftToken>) -> String? {
        guard index + 3 < tokens.endIndex, tokens[index + 1].is("("), tokens[index + 3].is(":") else { return nil }
        let call = "\(tokens[index].text)(\(tokens[index + 2].text):)"
        switch call {
        case "measure(metrics:)", "measure(options:)": return reason("'\(call)'", measuring)
        case "expectation(that:)": return reason("'\(call)'", observing)
        default: return nil
        }
    }

    private static func reason(_ name: String, _ sentence: String) -> String {
        "It uses \(name), which XCTest on Linux lacks." + (sentence.isEmpty ? "" : " \(sentence)")
    }
}
