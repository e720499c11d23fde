// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// How classes are written.

package import Foundation

/// What a user may choose. As a file: JSON with the names of these properties.
package struct GenerationOptions: Sendable, Equatable, Codable {
    package enum Style: String, Sendable, Codable, CaseIterable {
        /// As Xcode generates: `String?`, `NSSet?`, scalars where the model says so.
        case xcode
        /// Never nil where the model says so, `Set<Tag>`, `[Page]`, `Keys`, and `values` that may be sent.
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

    /// - Throws: `GenerationFailure` for what is no JSON, or names no option.
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
