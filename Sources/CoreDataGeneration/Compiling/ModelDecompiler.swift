// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Converts compiled models to model sources.

package import CoreDataModelFiles
package import Foundation

package enum ModelDecompiler {
    /// The source of a model.
    ///
    /// - Parameter url: a `.mom` or `.momd`, or a source in an older format.
    /// - Returns: the files of an `.xcdatamodeld` for a bundle of versions, otherwise of an `.xcdatamodel`, by their
    ///   relative paths; and sentences about parts that a source cannot represent.
    /// - Throws: `GenerationFailure`.
    package static func sources(_ url: URL) throws -> (files: [String: Data], isVersioned: Bool, losses: [String]) {
        do {
            let bundle = try ModelBundle(contentsOf: url)
            let isVersioned = ["momd", "xcdatamodeld"].contains(url.pathExtension) || bundle.versions.count > 1
            var files: [String: Data] = [:]
            var losses: [String] = []
            for version in bundle.versions {
                let (contents, lost) = ModelXMLWriter.write(try bundle.document(version: version.name))
                files[isVersioned ? "\(version.name).xcdatamodel/contents" : "contents"] = contents
                losses += lost
            }
            if isVersioned, let current = bundle.currentVersion {
                files[".xccurrentversion"] = currentVersion(current.name)
            }
            return (files, isVersioned, losses)
        } catch {
            throw GenerationFailure(Diagnostic.all(of: error, at: url))
        }
    }

    /// The `contents` of one model, and sentences about parts that a source cannot represent.
    package static func source(_ document: ModelDocument) -> (contents: Data, losses: [String]) {
        ModelXMLWriter.write(document)
    }

    private static func currentVersion(_ name: String) -> Data {
        let escaped = name.replacingEach("&", with: "&amp;").replacingEach("<", with: "&lt;")
        let text = """
            <?xml version="1.0" encoding="UTF-8"?>
            <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
            <plist version="1.0">
            <dict>
                <key>_XCCurrentVersionName</key>
                <string>\(escaped).xcdatamodel</string>
            </dict>
            </plist>

            """
        return Data(text.utf8)
    }
}
