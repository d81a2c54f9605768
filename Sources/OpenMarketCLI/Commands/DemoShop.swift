import FoundationEssentials

/// The shop of `openmarket demo`: a manifest before and after a change, and its pictures.
enum DemoShop {
    /// The manifest of the first half.
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

    /// The change: the mug costs more, the lamp's picture shows it lit.
    static let after =
        before
        .replacing("price: 12000", with: "price: 13500")
        .replacing("images/lamp.png", with: "images/lamp-lit.png")

    /// The pictures by path: PNG, 96 pixels square.
    static let pictures: [(path: String, base64: String)] = [
        ("images/lamp.png", lamp), ("images/lamp-lit.png", litLamp), ("images/mug.png", mug),
    ]

    private static let lamp = """
        iVBORw0KGgoAAAANSUhEUgAAAGAAAABgBAMAAAAQtmoLAAAAGFBMVEX48N716tn06tj06tfz6tjlwK3gel9mTlvf+ZwtAAAB7UlEQVR42u2X
        z0oDMRDGv6QVVLC7rXoQxd2t4EWR1ip4UejBFyj4JD5OX6FvoELBk6CoqAcvboseSxv/HHpoNx6Kmk2ySfco7J52lvwy+SaTySwpI91DkQEZ
        8F+AvPKFuKI1sAPjG5GuMhvAl/cFK2o7NsAJxCVx5lhFxySQHdcCkIe47VnDSg3+dAAP4nbu3iK6sJluBeo2emaAvMqLlsMke/hIm3xEHrDY
        NQILFWVGZvbgm5NXBlTNwKFr8vCR9sQRdYSkmlo0K6qpRbPiNFcUreGWZtWjuWGSB/Kmk+mnLTMllggUqjog100EuJ+28rnaIxHLcGooANpC
        QKeIgJs0JqrqgVghEAHHn0IntWqWVFPxMCSF0kvwYD8MAIjQL/Hwr76d4rn9mxIlV1/5SO33tQtgQ3sN5bX3EwEAp5Nd7BmQARnwP3tvACUQ
        ACTgnama9WB8ywiACyxV+sxUjCezj+7ydZf6iDq816b10ALQ3lfjr3WNwlZtYAbWZ3Zj9ktL+iGINyfgT434BMWD9qwJ8E6UuI+KzNDzPapx
        dExh5dsq8P5u2ml2J4+PLo0t3OeVtLlR88jUwgGrZ/MrYlSbawPbTl/j2EUZwAv4Odvr21IDJefmZ9VkwwutuQSgzCYXOUdo7gSyIpD0fANv
        2Gkef0gsnwAAAABJRU5ErkJggg==
        """

    private static let litLamp = """
        iVBORw0KGgoAAAANSUhEUgAAAGAAAABgBAMAAAAQtmoLAAAAGFBMVEX27t706tr06tj06tb624X72HbgiGdmTlvthg1lAAACcUlEQVR42u2X
        sW7bMBCGyZOROENkUs3s2Em2AIVSb50K9An6gHmUFnmBFC06J5HtLWgjanOB2uzQiCaPx6M9FrA2Sfx4vOP/HyV5Ifa7QByAA/C/AIPoiVT+
        XZsH1vc+fWNygD278u/uznPAqJr4t3f4faHRg+PrcIEnK75K8gcKmC2rDG8nOcCiLlJ8zyRdHrEBiSXV6P05D8glnqBUfIQuEzECoiUWc3bA
        aR2V2fAzqlxVQmnI5/eRev+E4kATmNgxfJWKGLicM0Ccc5Q1ZHKO1xAkvZoRtg+zDni5oPqEYgIWFHBhkkBZU4CcJwGrKKBIJ40aANkIgGkA
        ZCMA1o9EI/CBzTsaCBoBcD2ICuwnfTxLAH7WkM85DA35nFE4r9PZp8Enpwfxq28gL58rRXc+eTOg4uk3o/2kwdhjSa96rFJJG7WnNHRip5uU
        NCY0oLqUNBIRpNp348Y0IBeJqsqRoiN0Yge5esCmTgHVnARGyRz8bgmpz5jgeksCi7SkPZFtAdmlI2gyAiNVaAignKYB3REAawYqhyVn5K0l
        IGcGbAnImQFbwgGbKQdsLQG5PolVADsIQwghxxhImgEXHbJmQCWBrBmQJYA2g8Gf6c4S/fkwrIZuuVLoaii0HK7aE0cc/Q6b8eLKDa/+zSG1
        qOxTv//SKuMDLqKFaXAYvBgkWEBVALTh7lu/agLAmWGabO9hBMYMKlQCZM1gQksAMkODx2+QOl+rpB77582HUENfHNl5gC2/9iHa9Udv/M9b
        jeT8eux64r4Xs6LWQoh2/e3BbD8OrInO6X5HHlwrvVQtd7DHXmp3+bUUwraHH/Dw+gvZ64LnQbPtrQAAAABJRU5ErkJggg==
        """

    private static let mug = """
        iVBORw0KGgoAAAANSUhEUgAAAGAAAABgBAMAAAAQtmoLAAAAGFBMVEXy8+Xq7+Xo7+bo7+Xn7+ayzr2Bspped3pQrU6nAAAB90lEQVR42u3X
        sWtTQRzA8e9dWhAs8WIzps1r1E2KoouIobb9C4RsTnVwbsG/QlwcHdTZyaGbpYKCIOjyOin4ck27tdZDt5K8c2li03dX7gSlw3tLIHmf/O5+
        v3u/uydaxF2SEpSgBCU4W2BiTCeF33N9CpAzGwVQn9d+MLPVKYC9tOoF8v1KcchKCO2bdOOeY47i0rvxLyq1Ed265cqKmKoZd4TBXXce53xD
        aipPpXqtxAm2PUCoz2nLBX75antw4+qGdFfaHeERXHlzOQteSwK42NkczkOMhieve8AcwOBl9SSwXTeYXAPgo9Rxy/tmGvk8VEw4+AHA/SQU
        fHn22AD19EQdKh33/erFcv58DaSpjgNT80RQGbd1grgjdNCQLLD7GrgQk6UcSCJA3gQmehERGgYwMYUzIMz/aZX/DKi/AFaFA7kL5PMREbaB
        g8CuAZBUhnULA7K/AKShbeZ7q/9BQd4LzdKDT5OrwKAZ2vmmHwKQNXUYsEcf67NxS+OwHVdp+zRyaXxd1DHdm8F6HhzBdrHfnrR18IZiX4FY
        ysJ3IOrXIIvYso7fPTYHdUrDcIKGiXymhQfYWQ/YeesG+4nncGKr0+ecWbW+NiOcIfba/hPZ+W4xU8NV/edvj587+oUDiv25oP0Ax6ty4VQp
        yvfpEpRgdP0GQdB3m8daBmwAAAAASUVORK5CYII=
        """
}
