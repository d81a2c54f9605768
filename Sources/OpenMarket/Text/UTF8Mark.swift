/// The byte order mark that some programs put before a text in UTF-8.
package enum UTF8Mark {
    package static let bytes: [UInt8] = [0xEF, 0xBB, 0xBF]
}

extension Collection<UInt8> {
    package var hasUTF8Mark: Bool { starts(with: UTF8Mark.bytes) }

    package var withoutUTF8Mark: SubSequence { hasUTF8Mark ? dropFirst(UTF8Mark.bytes.count) : self[...] }
}
