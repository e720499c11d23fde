// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// UIKit's colour as a value with components, which reads the archives of UIKit.

public import Foundation

/// A colour as its components. Nothing draws it.
///
/// ```swift
/// let color = UIColor(red: 1, green: 0.5, blue: 0, alpha: 1)
/// let data = try NSKeyedArchiver.archivedData(withRootObject: color, requiringSecureCoding: true)
/// ```
///
/// UIKit's archives are read, so stores with transformable colours open. An archive of this class has UIKit's keys and
/// the class name "AppleShims.UIColor", because Foundation on Linux cannot write another one: UIKit reads it only
/// after `NSKeyedUnarchiver.setClass(UIColor.self, forClassName: "AppleShims.UIColor")`.
///
/// A system colour has the components of the light appearance. Instances are immutable, and any thread may use them.
open class UIColor: NSObject, NSSecureCoding, NSCopying, @unchecked Sendable {
    // Immutable, which makes the class safe for all threads.
    let components: ColorComponents

    init(_ components: ColorComponents) { self.components = components }

    /// Makes a colour of sRGB components, usually in 0...1.
    public required convenience init(red: CGFloat, green: CGFloat, blue: CGFloat, alpha: CGFloat) {
        self.init(ColorComponents(red: red, green: green, blue: blue, alpha: alpha))
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

    /// Reads the keys of UIKit's archives. nil, with an error of the coder, for an archive without components, such as
    /// that of a pattern.
    public required init?(coder: NSCoder) {
        func number(_ key: String) -> Double? {
            let exact = key + "-Double"
            let name = coder.containsValue(forKey: exact) ? exact : key
            return coder.containsValue(forKey: name) ? coder.decodeDouble(forKey: name) : nil
        }
        let alpha = number("UIAlpha") ?? 1
        if let red = number("UIRed"), let green = number("UIGreen"), let blue = number("UIBlue") {
            components = ColorComponents(red: red, green: green, blue: blue, alpha: alpha)
        } else if let white = number("UIWhite") {
            components = ColorComponents(white: white, alpha: alpha)
        } else {
            coder.failWithError(CocoaError(.coderReadCorrupt))
            return nil
        }
        super.init()
    }

    /// Writes the keys of UIKit's archives.
    open func encode(with coder: NSCoder) {
        coder.encode(components.alpha, forKey: "UIAlpha")
        if components.isGray {
            coder.encode(2, forKey: "UIColorComponentCount")
            coder.encode(components.red, forKey: "UIWhite")
            coder.encode(components.archivedText as NSData, forKey: "NSWhite")
            coder.encode(4, forKey: "NSColorSpace")
        } else {
            coder.encode(4, forKey: "UIColorComponentCount")
            for (name, value) in [("Red", components.red), ("Green", components.green), ("Blue", components.blue)] {
                coder.encode(value, forKey: "UI\(name)")
                coder.encode(value, forKey: "UI\(name)-Double")
            }
            coder.encode(components.archivedText as NSData, forKey: "NSRGB")
            coder.encode(2, forKey: "NSColorSpace")
        }
    }

    /// The same object, which is immutable.
    open func copy(with zone: NSZone? = nil) -> Any { self }

    // MARK: Comparing

    /// Whether the other object is a colour with the same components.
    open override func isEqual(_ object: Any?) -> Bool { (object as? UIColor)?.components == components }

    /// Equal for equal colours.
    open override var hash: Int { components.hashValue }

    /// The colour with another alpha.
    open func withAlphaComponent(_ alpha: CGFloat) -> UIColor { UIColor(components.with(alpha: alpha)) }
}
