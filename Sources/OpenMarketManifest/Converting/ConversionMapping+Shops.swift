import OpenMarket

extension ConversionMapping {
    /// The mapping of Shopify's product table, with the headers of any year.
    package static let shopify: ConversionMapping = {
        var mapping = ConversionMapping()
        mapping.shop = "Shopify"
        mapping.group = Template("Handle")
        mapping.options = ["Option1 Value", "Option2 Value", "Option3 Value"]
        mapping.key = Template("Handle")
        mapping.name = Template("Title")
        mapping.description = Template("Body (HTML)", "SEO Description")
        mapping.price = Template("Variant Price")
        mapping.comparePrice = Template("Variant Compare At Price")
        mapping.stock = Template("Variant Inventory Qty")
        mapping.images = Template("Image Src")
        mapping.variantImages = Template("Variant Image")
        mapping.isHTML = true
        mapping.skips = [
            Skip(column: "Published", values: ["false"], reason: "not published"),
            Skip(column: "Status", values: ["draft", "archived"], reason: "a draft, or archived"),
        ]
        // Since 2024 the export has other names for the same columns.
        mapping.synonyms = Self.table(
            """
            Handle: URL handle
            Body (HTML): Description | Body HTML
            Variant Price: Price
            Variant Compare At Price: Compare-at price
            Variant Inventory Qty: Inventory quantity
            Image Src: Product image URL
            Variant Image: Variant image URL
            Published: Published on online store
            """
        )
        return mapping
    }()

    /// The mapping of WooCommerce's product table, in the languages of its administrators.
    package static let wooCommerce: ConversionMapping = {
        var mapping = ConversionMapping()
        mapping.shop = "WooCommerce"
        mapping.parent = "Parent"
        mapping.parentNames = [Template("SKU"), Template("id:{ID}")]
        mapping.key = Template("SKU", "product-{ID}")
        mapping.name = Template("Name")
        mapping.description = Template("Description", "Short description")
        mapping.price = Template("Regular price")
        mapping.salePrice = Template("Sale price")
        mapping.saleStart = Template("Date sale price starts")
        mapping.saleEnd = Template("Date sale price ends")
        mapping.stock = Template("Stock")
        mapping.images = Template("Images")
        mapping.isHTML = true
        mapping.isEscaped = true
        mapping.skips = [
            Skip(column: "Type", values: ["variable"], reason: "its variations are products of their own"),
            Skip(column: "Type", values: ["grouped"], reason: "a group of other products"),
            Skip(column: "Type", values: ["external"], reason: "sold elsewhere"),
            Skip(column: "Published", values: ["0", "-1"], reason: "not published", isInherited: true),
        ]
        mapping.losses = [
            Skip(
                column: "Short description",
                values: [],
                reason: "the short description is left out",
                isInherited: true
            ),
            Skip(
                column: "Visibility in catalog",
                values: ["hidden", "search", "catalog"],
                reason: "hidden in the shop, which a manifest cannot express: it will be seen",
                isInherited: true
            ),
            Skip(
                column: "Type",
                values: ["virtual", "downloadable"],
                reason: "virtual or for download, which a manifest cannot express"
            ),
        ]
        mapping.inStock = "In stock?"
        // The translations in German, Spanish, French, Italian, Dutch, Portuguese, Polish, Korean and Japanese.
        mapping.synonyms = Self.table(
            """
            Type: Typ | Tipo | Produkttyp | 유형 | タイプ | 種類
            SKU: Artikelnummer | UGS | COD | Código | REF | 상품 코드 | 商品コード
            Name: Nombre | Nom | Nome | Naam | Nazwa | 이름 | 상품명 | 名前 | 商品名
            Published: Veröffentlicht | Publicado | Publié | Pubblicato | Gepubliceerd | Opublikowano | Opublikowany | \
              발행됨 | 게시됨 | 공개됨 | 公開済み | 公開
            Short description: Kurzbeschreibung | Descripción corta | Description courte | Breve descrizione | \
              Descrizione breve | Korte beschrijving | Korte omschrijving | Descrição curta | Breve descrição | \
              Krótki opis | 짧은 설명 | 간단한 설명 | 요약 설명 | 簡単な説明 | 短い説明 | 商品の簡単な説明
            Description: Beschreibung | Descripción | Descrizione | Beschrijving | Descrição | Opis | 설명 | 説明
            Sale price: Angebotspreis | Precio rebajado | Precio de oferta | Tarif promo | Tarif de promo | \
              Prix promo | Prezzo in offerta | Prezzo scontato | Actieprijs | Aanbiedingsprijs | Preço promocional | \
              Cena promocyjna | 할인 가격 | 할인가 | 할인가격 | 세일 가격 | 세일가 | セール価格
            Regular price: Regulärer Preis | Normalpreis | Precio normal | Precio regular | Tarif régulier | \
              Prix régulier | Tarif normal | Prezzo di listino | Prezzo normale | Prezzo regolare | Reguliere prijs | \
              Normale prijs | Preço normal | Preço regular | Preço | Cena regularna | Cena podstawowa | Cena | 정상 가격 | \
              정상가 | 정상가격 | 정가 | 通常価格
            Date sale price starts: Datum, an dem Angebotspreis beginnt | Día en que empieza el precio rebajado | \
              Date de début de promo | Startdatum actieprijs | Data de preço promocional começa em | \
              Data rozpoczęcia promocji | セール価格の開始日
            Date sale price ends: Datum, an dem Angebotspreis endet | Día en que termina el precio rebajado | \
              Date de fin de promo | Einddatum actieprijs | Data de preço promocional termina em | \
              Data zakończenia promocji | セール価格の終了日
            Stock: Lager | Lagerbestand | Bestand | Inventario | Existencias | Magazzino | Voorraad | Estoque | \
              Inventário | Stan magazynowy | Magazyn | 재고 | 在庫
            In stock?: Vorrätig? | Auf Lager? | ¿En inventario? | ¿Existencias? | En stock ? | In magazzino? | \
              Op voorraad? | Em estoque? | Em stock? | W magazynie? | Na stanie? | 재고 있음? | 재고가 있나요? | 在庫あり ? | 在庫あり？
            Visibility in catalog: Sichtbarkeit im Katalog | Visibilidad en el catálogo | \
              Visibilité dans le catalogue | Visibilità nel catalogo | Zichtbaarheid in catalogus | \
              Visibilidade no catálogo | Widoczność w katalogu | 카탈로그에서 보이기 | 카탈로그 가시성 | カタログでの表示 | カタログでの可視性
            Images: Bilder | Imágenes | Immagini | Immagine | Afbeeldingen | Imagens | Obrazki | 이미지 | 画像
            Parent: Übergeordnet | Übergeordnetes Produkt | Eltern | Superior | Padre | Genitore | Hoofd | \
              Bovenliggend | Ascendente | Nadrzędny | Produkt nadrzędny | 상위 | 부모 | 親
            """
        )
        return mapping
    }()

    /// Parses lines of a column and its other names: `Stock: Lager | Bestand`.
    private static func table(_ lines: String) -> [String: [String]] {
        let entries = lines.split(separator: "\n").map { line in
            let sides = line.split(separator: ":", maxSplits: 1)
            return (String(sides[0]), sides[1].split(separator: "|").map { String($0).trimmed })
        }
        return Dictionary(uniqueKeysWithValues: entries)
    }

    /// The mapping for a table with these columns; `nil` if there is none.
    ///
    /// A shop is detected by its columns, even if the prices are missing.
    static func known(for header: HeaderColumns) -> ConversionMapping? {
        let signs = [
            (shopify, "Handle", ["Title", "Variant Price", "Body (HTML)", "Option1 Value", "Image Src"]),
            (wooCommerce, "Name", ["Regular price", "Type", "Published", "Short description", "Tax status"]),
        ]
        return signs.first { mapping, column, others in
            mapping.place(of: column, in: header) != nil
                && others.count { mapping.place(of: $0, in: header) != nil } > 1
        }?.0
    }

    /// The index of the mapping's column in a table, under any of its names.
    func place(of column: String, in header: HeaderColumns) -> Int? {
        ([column] + (synonyms[column] ?? [])).lazy.compactMap { header.place(of: $0) }.first
    }
}

/// The columns of a table by name.
///
/// If no column has exactly the name, case, blanks, dashes and underscores are ignored.
struct HeaderColumns {
    private var exact: [String: Int] = [:]
    private var folded: [String: Int] = [:]

    init(_ names: [String]) {
        for (place, name) in names.enumerated() {
            if exact[name] == nil { exact[name] = place }
            let folded = Self.folded(name)
            if self.folded[folded] == nil { self.folded[folded] = place }
        }
    }

    /// The index of the column, from 0.
    func place(of name: String) -> Int? { exact[name] ?? folded[Self.folded(name)] }

    private static func folded(_ name: String) -> String {
        name.composed.lowercased().split { $0.isWhitespace || $0 == "-" || $0 == "_" }.joined(separator: " ")
    }
}
