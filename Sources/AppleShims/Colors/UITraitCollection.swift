// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The surroundings that dynamic colours of UIKit ask for. Here they are always light.

public import Foundation

/// The appearance of UIKit's interface.
public enum UIUserInterfaceStyle: Int, Sendable {
    /// Not known.
    case unspecified = 0
    /// Dark text on a light ground.
    case light = 1
    /// Light text on a dark ground.
    case dark = 2
}

/// The surroundings of a view, which are light on Linux. Instances are immutable, and any thread may use them.
public final class UITraitCollection: NSObject, Sendable {
    /// The appearance.
    public let userInterfaceStyle: UIUserInterfaceStyle

    /// Makes light surroundings.
    public override init() { userInterfaceStyle = .light }

    /// Makes surroundings with an appearance.
    public init(userInterfaceStyle: UIUserInterfaceStyle) { self.userInterfaceStyle = userInterfaceStyle }

    /// Light surroundings.
    public static var current: UITraitCollection { UITraitCollection() }
}

extension UIColor {
    /// Makes the colour that the closure returns for light surroundings. It is called once, at once.
    ///
    /// ```swift
    /// let text = UIColor { $0.userInterfaceStyle == .dark ? .white : .black }  // black
    /// ```
    public convenience init(dynamicProvider: @escaping (UITraitCollection) -> UIColor) {
        self.init(dynamicProvider(.current).components)
    }

    /// Finds a colour of an asset catalog by name, in the light appearance; nil for a name that no catalog has.
    ///
    /// - Parameters:
    ///   - bundle: nil means the program's, with the targets of its package.
    ///   - traits: without effect.
    public convenience init?(
        named name: String, in bundle: Bundle? = nil, compatibleWith traits: UITraitCollection? = nil
    ) {
        guard let components = ColorCatalog.components(name, bundle) else { return nil }
        self.init(components)
    }

    /// The same colour: each colour has the components of the light appearance.
    public func resolvedColor(with traits: UITraitCollection) -> UIColor { self }
}
