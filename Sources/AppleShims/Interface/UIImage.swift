// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// An image as the bytes of its file.

public import Foundation

/// An image that keeps the bytes of its file, and never decodes them.
///
/// ```swift
/// photo.data = UIImage(data: bytes)?.pngData()
/// ```
///
/// Nothing draws or converts an image: `pngData()` is nil for a JPEG. Images of asset catalogs do not exist on Linux.
/// Instances are immutable, and any thread may use them.
open class UIImage: NSObject, @unchecked Sendable {
    // Immutable, which makes the class safe for all threads.
    private let bytes: Data
    private let form: ImageForm?

    /// Width and height in pixels; zero for an empty image.
    public let size: CGSize

    /// An image without content.
    public override init() { (bytes, form, size) = (Data(), nil, .zero) }

    /// nil for bytes that begin neither as PNG nor as JPEG.
    public init?(data: Data) {
        guard let form = ImageForm(data), let size = form.size(data) else { return nil }
        (bytes, self.form, self.size) = (data, form, size)
    }

    /// nil for a file that cannot be read, and for bytes that begin neither as PNG nor as JPEG.
    public convenience init?(contentsOfFile path: String) {
        guard let data = FileManager.default.contents(atPath: path) else { return nil }
        self.init(data: data)
    }

    /// nil: Linux has no asset catalogs.
    public convenience init?(named name: String) { return nil }

    /// nil: Linux has no symbols of the system.
    public convenience init?(systemName name: String) { return nil }

    /// The bytes of an image that was made of a PNG, otherwise nil.
    open func pngData() -> Data? { form == .png ? bytes : nil }

    /// The bytes of an image that was made of a JPEG, otherwise nil. The quality has no effect.
    open func jpegData(compressionQuality: CGFloat) -> Data? { form == .jpeg ? bytes : nil }

    /// Whether the other object is an image with the same bytes.
    open override func isEqual(_ object: Any?) -> Bool { (object as? UIImage)?.bytes == bytes }

    /// Equal for equal images.
    open override var hash: Int { bytes.hashValue }
}

/// The two forms of files that UIKit writes.
private enum ImageForm {
    case png
    case jpeg

    init?(_ data: Data) {
        if data.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) {
            self = .png
        } else if data.starts(with: [0xFF, 0xD8, 0xFF]) {
            self = .jpeg
        } else {
            return nil
        }
    }

    /// nil for a file without the part that has the size.
    func size(_ data: Data) -> CGSize? {
        let bytes = [UInt8](data.prefix(1 << 20))
        func number(_ at: Int, _ count: Int) -> Int? {
            at + count <= bytes.count ? bytes[at..<at + count].reduce(0) { $0 << 8 | Int($1) } : nil
        }
        switch self {
        case .png:
            guard let width = number(16, 4), let height = number(20, 4) else { return nil }
            return CGSize(width: width, height: height)
        case .jpeg:
            var at = 2
            while let mark = number(at, 2), let length = number(at + 2, 2), length >= 2 {
                // The frame's header has one of these marks, except for tables and arithmetic conditions.
                if (0xFFC0...0xFFCF).contains(mark), ![0xFFC4, 0xFFC8, 0xFFCC].contains(mark) {
                    guard let height = number(at + 5, 2), let width = number(at + 7, 2) else { return nil }
                    return CGSize(width: width, height: height)
                }
                at += 2 + length
            }
            return nil
        }
    }
}
