// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// The files of the pages, embedded in the program and found by exact name. Studio-S7.

import Foundation

enum StaticFiles {
    private static let files: [String: (type: String, bytes: [UInt8])] = [
        "studio.css": ("text/css; charset=utf-8", PackageResources.studio_css),
        "studio.js": ("text/javascript; charset=utf-8", PackageResources.studio_js),
        "grid.js": ("text/javascript; charset=utf-8", PackageResources.grid_js),
        "filter.js": ("text/javascript; charset=utf-8", PackageResources.filter_js),
        "picture.js": ("text/javascript; charset=utf-8", PackageResources.picture_js),
        "icon.svg": ("image/svg+xml", PackageResources.icon_svg),
    ]

    static func response(_ name: String) throws -> SiteResponse {
        guard let file = files[name] else { throw SiteFailure.notFound }
        return SiteResponse(type: file.type, body: .data(Data(file.bytes)))
    }
}
