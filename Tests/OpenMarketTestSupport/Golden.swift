import FoundationEssentials
import Testing

/// Compares bytes with a file under `Golden/` beside the calling test.
///
/// `RECORD_GOLDEN=1` writes the file again; a fresh recording fails the test, so that it cannot slip through.
func expectGolden(
    _ bytes: some Sequence<UInt8>,
    _ name: String,
    testFile: String = #filePath,
    sourceLocation: SourceLocation = #_sourceLocation
) {
    let folder = URL(fileURLWithPath: testFile).deletingLastPathComponent().appendingPathComponent("Golden")
    expectGolden(bytes, file: folder.appendingPathComponent(name), name: name, sourceLocation: sourceLocation)
}

/// Compares bytes with a file anywhere in the repository, such as a page of the docs; recorded the same way.
func expectGolden(
    _ bytes: some Sequence<UInt8>,
    file: URL,
    name: String,
    sourceLocation: SourceLocation = #_sourceLocation
) {
    let actual = Data(bytes)
    if ProcessInfo.processInfo.environment["RECORD_GOLDEN"] == "1" {
        do {
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(),
                withIntermediateDirectories: true
            )
            try actual.write(to: file)
            Issue.record("recorded \(name); run again without RECORD_GOLDEN", sourceLocation: sourceLocation)
        } catch {
            Issue.record("cannot record \(name): \(error)", sourceLocation: sourceLocation)
        }
        return
    }
    guard let expected = try? Data(contentsOf: file) else {
        Issue.record("no golden file \(name); record it with RECORD_GOLDEN=1", sourceLocation: sourceLocation)
        return
    }
    guard expected != actual else { return }
    let wanted = String(decoding: expected, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
    let got = String(decoding: actual, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
    let line =
        zip(wanted, got).enumerated().first { $0.element.0 != $0.element.1 }?.offset ?? min(wanted.count, got.count)
    Issue.record(
        """
        \(name) differs at line \(line + 1) (\(expected.count) bytes expected, \(actual.count) found)
        expected: \(line < wanted.count ? String(wanted[line]).debugDescription : "end")
        found:    \(line < got.count ? String(got[line]).debugDescription : "end")
        """,
        sourceLocation: sourceLocation
    )
}
