@testable import OpenMarket
@testable import OpenMarketTestSupport
import Testing

/// The formats of an export, as other programs read them.
@Suite(.timeLimit(.minutes(5)))
struct ExportFormatTests {
    @Test(.enabled(if: Python.isAvailable))
    func `every format has the same values, whichever program reads them`() async throws {
        var manifest = ShopManifest.three
        manifest["mug"].name = #""'=Mug; \"blue\", 머그 ☕""#
        manifest["lamp"].name = "-Lamp"
        try await CommandSandbox.applied("v2b", manifest) { shop in
            for file in ["a.jsonl", "a.jsonl.gz", "a.csv.gz", "a.sqlite"] {
                let exported = try await shop.openmarket("export", "--details", "-o", file)
                #expect(exported.status == 0)
                #expect(exported.errorText == "Exported 3 products to \(file)\n")
            }
            let table = ["export", "--details", "--excel", "--separator", "semicolon", "-o", "e.csv"]
            #expect(try await shop.program(table).run().status == 0)
            let script = """
                import csv, gzip, hashlib, io, json, sqlite3
                lines = [json.loads(line) for line in open('a.jsonl', encoding='utf-8', newline='') if line.strip()]
                assert gzip.open('a.jsonl.gz').read() == open('a.jsonl', 'rb').read()
                texts = lambda row: ['' if v is None else ' '.join(v) if isinstance(v, list) else str(v) for v in row.values()]
                packed = io.TextIOWrapper(gzip.open('a.csv.gz'), encoding='utf-8', newline='')
                assert list(csv.reader(packed, strict=True))[1:] == [texts(row) for row in lines]
                cells = list(csv.reader(open('e.csv', encoding='utf-8-sig', newline=''), delimiter=';', strict=True))
                bare = [[c[1:] if c.lstrip("'")[:1] in tuple('=+-@') and c[:1] == "'" else c for c in r] for r in cells]
                assert bare[1:] == [texts(row) for row in lines]
                assert not [c for r in cells for c in r if c[:1] in ('=', '+', '-', '@')]
                assert open('e.csv', 'rb').read(3) == b'\\xef\\xbb\\xbf'
                db = sqlite3.connect('a.sqlite')
                db.row_factory = sqlite3.Row
                rows = [dict(r) for r in db.execute('SELECT * FROM products ORDER BY id DESC')]
                for row in rows:
                    urls = db.execute('SELECT url FROM pictures WHERE product_id = ? ORDER BY position', [row['id']])
                    row['images'] = [r['url'] for r in urls]
                    assert row.pop('image_count') == len(row['images'])
                assert rows == lines, (rows, lines)
                for file in ['a.jsonl.gz', 'a.sqlite', 'e.csv']:
                    certificate = json.load(open(file + '.certificate.json'))
                    assert certificate['sha256'] == hashlib.sha256(open(file, 'rb').read()).hexdigest()
                    assert certificate['rows'] == 3
                print(json.dumps([row['name'] for row in lines]))
                """
            let names = try await Python.json(script, folder: shop.folder)
            #expect(names.elements?.compactMap(\.text).sorted() == ["'=Mug; \"blue\", 머그 ☕", "-Lamp", "Round fan"])
        }
    }
}
