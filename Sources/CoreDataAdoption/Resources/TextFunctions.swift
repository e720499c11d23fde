// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The source with Foundation's functions for localized texts that a target gets.

/// Foundation on Linux looks for texts in `Bundle.main`, which has none, and knows no plural forms. A declaration of
/// the module hides one of Foundation with the same form, so the sources of the app stay as they are (Adoption,
/// invariant 13).
enum TextFunctions {
    static let fileName = "AdoptedTexts.swift"

    static func source(isMainActorByDefault: Bool, hasPlurals: Bool) -> String {
        let isolation = isMainActorByDefault ? "nonisolated " : ""
        let text = """
            // Made by coredata-tool adopt. Looks up localized texts in the tables of the app.
            import AppleShims
            import Foundation

            \(isolation)public func NSLocalizedString(
                _ key: String, tableName: String? = nil, bundle: Bundle = .main, value: String = "", comment: String
            ) -> String {
                LocalizedText.text(key, tableName: tableName, bundle: bundle, value: value)
            }

            """
        guard hasPlurals else { return text }
        return text + """

            extension String {
                \(isolation)static func localizedStringWithFormat(_ format: String, _ arguments: any CVarArg...) -> String {
                    LocalizedText.formatted(format, .current, arguments)
                }

                \(isolation)init(format: __shared String, _ arguments: any CVarArg...) {
                    self = LocalizedText.formatted(format, nil, arguments)
                }

                \(isolation)init(format: __shared String, locale: __shared Locale?, _ args: any CVarArg...) {
                    self = LocalizedText.formatted(format, locale, args)
                }

                \(isolation)init(format: __shared String, arguments: __shared [any CVarArg]) {
                    self = LocalizedText.formatted(format, nil, arguments)
                }
            }

            """
    }
}
