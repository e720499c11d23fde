// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The appearance that dynamic colours of AppKit ask for. Here it is always light.

public import Foundation

/// The appearance of AppKit's interface. Instances are immutable, and any thread may use them.
public final class NSAppearance: NSObject, Sendable {
    /// The name of an appearance.
    public struct Name: RawRepresentable, Hashable, Sendable {
        /// The text of the name.
        public let rawValue: String

        /// Makes a name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// Light.
        public static let aqua = Name(rawValue: "NSAppearanceNameAqua")
        /// Dark.
        public static let darkAqua = Name(rawValue: "NSAppearanceNameDarkAqua")
    }

    /// The name: light.
    public var name: Name { .aqua }

    /// The light appearance if it is among the names, otherwise nil.
    public func bestMatch(from appearances: [Name]) -> Name? { appearances.contains(.aqua) ? .aqua : nil }
}

extension NSColor {
    /// Makes the colour that the closure returns for the light appearance. It is called once, at once.
    public convenience init(name: String?, dynamicProvider: @escaping (NSAppearance) -> NSColor) {
        self.init(dynamicProvider(NSAppearance()).components)
    }

    /// Finds a colour of an asset catalog by name, in the light appearance; nil for a name that no catalog has.
    ///
    /// - Parameter bundle: nil means the program's, with the targets of its package.
    public convenience init?(named name: String, bundle: Bundle? = nil) {
        guard let components = ColorCatalog.components(name, bundle) else { return nil }
        self.init(components)
    }
}
