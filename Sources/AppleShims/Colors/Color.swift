// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// SwiftUI's colour as a value.

public import Foundation

/// A colour as its components, or as its name in an asset catalog. It is no view, and nothing draws it.
///
/// ```swift
/// let color = Color(red: 1, green: 0.5, blue: 0).opacity(0.5)
/// ```
public struct Color: Hashable, Sendable {
    /// A space of components. All have the same meaning here.
    public enum RGBColorSpace: Hashable, Sendable {
        /// The usual space of screens.
        case sRGB
        /// The usual space with linear components.
        case sRGBLinear
        /// A wide space.
        case displayP3
    }

    private enum Form: Hashable {
        case components(ColorComponents)
        case named(String, URL?)
    }

    private var form: Form

    init(_ components: ColorComponents) { form = .components(components) }

    /// nil for a name that no asset catalog has.
    var components: ColorComponents? {
        switch form {
        case .components(let components): components
        case .named(let name, let place): ColorCatalog.components(name, place.flatMap { Bundle(url: $0) })
        }
    }

    /// Makes a colour of components, usually in 0...1.
    public init(
        _ space: RGBColorSpace = .sRGB, red: Double, green: Double, blue: Double, opacity: Double = 1
    ) {
        self.init(ColorComponents(red: red, green: green, blue: blue, alpha: opacity))
    }

    /// Makes a gray: 0 is black, 1 is white.
    public init(_ space: RGBColorSpace = .sRGB, white: Double, opacity: Double = 1) {
        self.init(ColorComponents(white: white, alpha: opacity))
    }

    /// Makes a colour of hue, saturation and brightness in 0...1.
    public init(hue: Double, saturation: Double, brightness: Double, opacity: Double = 1) {
        self.init(ColorComponents(hue: hue, saturation: saturation, brightness: brightness, alpha: opacity))
    }

    /// Names a colour of an asset catalog, in the light appearance.
    ///
    /// - Parameter bundle: nil means the program's, with the targets of its package.
    public init(_ name: String, bundle: Bundle? = nil) {
        form = .named(name, bundle === Bundle.main ? nil : bundle?.bundleURL)
    }

    /// Makes the colour of a value of UIKit.
    public init(_ color: UIColor) { self.init(color.components) }

    /// Makes the colour of a value of UIKit.
    public init(uiColor: UIColor) { self.init(uiColor.components) }

    /// Makes the colour of a value of AppKit.
    public init(nsColor: NSColor) { self.init(nsColor.components) }

    /// The colour with its opacity multiplied; a name that no asset catalog has stays as it is.
    public func opacity(_ opacity: Double) -> Color {
        components.map { Color($0.with(alpha: $0.alpha * opacity)) } ?? self
    }
}
