// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// AppKit's colour as a value with components, which reads the archives of AppKit.

public import Foundation

/// A colour as its components. Nothing draws it.
///
/// ```swift
/// let color = NSColor(red: 1, green: 0.5, blue: 0, alpha: 1)
/// print(color.redComponent)
/// ```
///
/// AppKit's archives are read: colours in RGB and white, and colours of catalogs, which have a colour inside; those in
/// CMYK and patterns are an error of the coder. An archive of this class has AppKit's keys and the class name
/// "AppleShims.NSColor", because Foundation on Linux cannot write another one.
///
/// Instances are immutable, and any thread may use them.
open class NSColor: NSObject, NSSecureCoding, NSCopying, @unchecked Sendable {
    // Immutable, which makes the class safe for all threads.
    let components: ColorComponents

    init(_ components: ColorComponents) { self.components = components }

    /// Makes a colour of components, usually in 0...1.
    public required convenience init(red: CGFloat, green: CGFloat, blue: CGFloat, alpha: CGFloat) {
        self.init(ColorComponents(red: red, green: green, blue: blue, alpha: alpha))
    }

    /// Makes a colour of components in sRGB, usually in 0...1.
    public convenience init(srgbRed red: CGFloat, green: CGFloat, blue: CGFloat, alpha: CGFloat) {
        self.init(red: red, green: green, blue: blue, alpha: alpha)
    }

    /// Makes a colour of components, usually in 0...1. All spaces of RGB are one here.
    public convenience init(calibratedRed red: CGFloat, green: CGFloat, blue: CGFloat, alpha: CGFloat) {
        self.init(red: red, green: green, blue: blue, alpha: alpha)
    }

    /// Makes a gray: 0 is black, 1 is white.
    public convenience init(white: CGFloat, alpha: CGFloat) { self.init(ColorComponents(white: white, alpha: alpha)) }

    /// Makes a colour of hue, saturation and brightness in 0...1.
    public convenience init(hue: CGFloat, saturation: CGFloat, brightness: CGFloat, alpha: CGFloat) {
        self.init(ColorComponents(hue: hue, saturation: saturation, brightness: brightness, alpha: alpha))
    }

    /// Makes the colour of a value of SwiftUI. A name that no asset catalog has is clear.
    public convenience init(_ color: Color) { self.init(color.components ?? ColorComponents(white: 0, alpha: 0)) }

    // MARK: Archives

    /// True.
    public static var supportsSecureCoding: Bool { true }

    /// Reads the keys of AppKit's archives. nil, with an error of the coder, for a colour without components.
    public required init?(coder: NSCoder) {
        func data(_ key: String) -> Data? {
            coder.containsValue(forKey: key) ? coder.decodeObject(of: NSData.self, forKey: key) as Data? : nil
        }
        let inner =
            coder.containsValue(forKey: "NSColor") ? coder.decodeObject(of: NSColor.self, forKey: "NSColor") : nil
        let alpha = { (numbers: [Double], index: Int) in numbers.count > index ? numbers[index] : 1 }
        if let inner {
            components = inner.components
        } else if let numbers = ColorComponents.numbers(data("NSRGB")), numbers.count >= 3 {
            components = ColorComponents(
                red: numbers[0], green: numbers[1], blue: numbers[2], alpha: alpha(numbers, 3))
        } else if let numbers = ColorComponents.numbers(data("NSWhite")), let white = numbers.first {
            components = ColorComponents(white: white, alpha: alpha(numbers, 1))
        } else {
            coder.failWithError(CocoaError(.coderReadCorrupt))
            return nil
        }
        super.init()
    }

    /// Writes the keys of AppKit's archives.
    open func encode(with coder: NSCoder) {
        coder.encode(components.isGray ? 4 : 2, forKey: "NSColorSpace")
        coder.encode((components.archivedText + [0]) as NSData, forKey: components.isGray ? "NSWhite" : "NSRGB")
    }

    /// The same object, which is immutable.
    open func copy(with zone: NSZone? = nil) -> Any { self }

    // MARK: Comparing

    /// Whether the other object is a colour with the same components.
    open override func isEqual(_ object: Any?) -> Bool { (object as? NSColor)?.components == components }

    /// Equal for equal colours.
    open override var hash: Int { components.hashValue }

    // MARK: Components

    /// The red component, usually in 0...1.
    open var redComponent: CGFloat { CGFloat(components.red) }
    /// The green component, usually in 0...1.
    open var greenComponent: CGFloat { CGFloat(components.green) }
    /// The blue component, usually in 0...1.
    open var blueComponent: CGFloat { CGFloat(components.blue) }
    /// 1 is opaque, 0 is clear.
    open var alphaComponent: CGFloat { CGFloat(components.alpha) }
    /// The hue in 0...1; 0 for a gray.
    open var hueComponent: CGFloat { CGFloat(components.hsb.hue) }
    /// The saturation in 0...1; 0 for a gray.
    open var saturationComponent: CGFloat { CGFloat(components.hsb.saturation) }
    /// The brightness in 0...1.
    open var brightnessComponent: CGFloat { CGFloat(components.hsb.brightness) }

    /// The colour with another alpha.
    open func withAlphaComponent(_ alpha: CGFloat) -> NSColor { NSColor(components.with(alpha: alpha)) }
}
