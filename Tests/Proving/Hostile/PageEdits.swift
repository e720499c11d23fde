// Copyright (c) 2026 The OpenCoreData authors. MIT licence, see LICENSE.
// Edits of the pages and cells of a good database, which a short input describes.

/// Eight bytes for each edit: its kind, the number of the page, a position in two bytes, and a value in four. Any input
/// is a list of edits, so that each of them reaches the inside of the file.
enum PageEdits {
    private static let pageSize = 4096

    static func apply(_ input: [UInt8], to good: [UInt8]) -> [UInt8] {
        var file = good
        var start = 0
        while start + 8 <= input.count {
            edit(&file, Array(input[start..<start + 8]))
            start += 8
        }
        return file
    }

    private static func edit(_ file: inout [UInt8], _ record: [UInt8]) {
        let pages = file.count / pageSize
        guard pages > 0 else { return }
        let page = Int(record[1]) % pages
        let base = page * pageSize
        let position = Int(record[2]) << 8 | Int(record[3])
        let value = Array(record[4..<8])
        /// Page 1 begins with the header of the file.
        let header = base + (page == 0 ? 100 : 0)
        func put(_ bytes: [UInt8], at place: Int) {
            for (offset, byte) in bytes.enumerated() where place + offset < file.count { file[place + offset] = byte }
        }
        let cellCount = max(1, Int(file[header + 3]) << 8 | Int(file[header + 4]))
        let isInner = file[header] == 2 || file[header] == 5
        let pointer = header + (isInner ? 12 : 8) + position % min(cellCount, 1000) * 2
        switch record[0] % 9 {
        case 0: put([value[3]], at: base + position % pageSize)
        case 1: put(value, at: base + position % pageSize)
        // A number of variable length, up to the greatest.
        case 2: put(Array(repeating: 0xFF, count: Int(value[0] % 10)) + [value[3]], at: base + position % pageSize)
        // The position of a cell.
        case 3: put([value[2], value[3]], at: pointer)
        // The beginning of a cell: its length, its key, the types of its columns.
        case 4 where pointer + 1 < file.count:
            let cell = Int(file[pointer]) << 8 | Int(file[pointer + 1])
            put([value[3]], at: base + (cell + Int(value[0] % 32)) % pageSize)
        // The kind of the page, its numbers of cells and free blocks, its right child.
        case 5: put([value[3]], at: header + position % 12)
        case 6:
            let other = Int(value[3]) % pages * pageSize
            file.replaceSubrange(base..<base + pageSize, with: file[other..<other + pageSize])
        case 7: file.removeSubrange(min(file.count, base + position % pageSize)...)
        // The header of the file: the size of a page, the list of free pages, the version of the schema.
        case 8: put(value, at: position % 100)
        default: break
        }
    }
}
