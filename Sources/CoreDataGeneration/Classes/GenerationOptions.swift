// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The options of class generation.

package import Foundation

/// The choices of a user. As a file: JSON with the names of these properties.
package struct GenerationOptions: Sendable, Equatable, Codable {
    package enum Style: String, Sendable, Codable, CaseIterable {
        /// Xcode's style: `String?`, `NSSet?`, and scalars if the model requests them.
        case xcode
        /// Non-optional types if the model allows them, `Set<Tag>`, `[Page]`, `Keys`, and sendable `values`.
        case modern
    }

    package enum Access: String, Sendable, Codable, CaseIterable {
        case `public`
        case `internal`
    }

    package var style = Style.xcode
    package var access = Access.public

    package init() {}

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        style = try container.decodeIfPresent(Style.self, forKey: .style) ?? .xcode
        access = try container.decodeIfPresent(Access.self, forKey: .access) ?? .public
    }

    /// - Throws: `GenerationFailure` for malformed JSON and unknown options.
    package init(contentsOf url: URL) throws {
        do {
            self = try JSONDecoder().decode(GenerationOptions.self, from: Data(contentsOf: url))
        } catch {
            throw GenerationFailure([
                Diagnostic(
                    .error, url.path,
                    "The options cannot be read; an example: {\"style\": \"modern\", \"access\": \"internal\"}.")
            ])
        }
    }
}
