import FoundationEssentials
import OpenMarketServer

/// The shop of `openmarket demo`: a manifest before and after a change, and its pictures.
enum DemoShop {
    static let before = """
        defaults:
          currency: KRW
        products:
          - key: desk-lamp
            name: Desk lamp
            description: Warm light, two arms, and a heavy foot.
            price: 35000
            sale_price: 31500
            stock: 12
            images: [images/lamp.png]
          - key: mug
            name: Glazed mug
            description: Holds 350 ml, and keeps its handle cool.
            price: 12000
            stock: 40
            images: [images/mug.png]

        """

    /// The change: the mug costs more, and the lamp's picture shows it lit.
    static let after =
        before
        .replacing("price: 12000", with: "price: 13500")
        .replacing("images/lamp.png", with: "images/lamp-lit.png")

    static let pictures: [(path: String, drawing: SeedDrawing)] = [
        ("images/lamp.png", .deskLamp), ("images/lamp-lit.png", .litDeskLamp), ("images/mug.png", .mug),
    ]
}
