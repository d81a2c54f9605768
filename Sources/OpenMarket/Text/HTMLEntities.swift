/// Decodes character references: `&eacute;`, `&#233;` or `&#xE9;`.
package enum HTMLEntities {
    /// Replaces references with their characters; unknown ones stay.
    package static func decoded(_ text: Substring) -> String {
        guard text.utf8.contains(UInt8(ascii: "&")) else { return String(text) }
        var result = ""
        var rest = text
        while let start = rest.utf8.firstIndex(of: UInt8(ascii: "&")) {
            result += rest[..<start]
            let tail = rest[rest.utf8.index(after: start)...]
            guard let end = tail.utf8.prefix(longest).firstIndex(of: UInt8(ascii: ";")),
                let meant = character(tail[..<end])
            else {
                result += "&"
                rest = tail
                continue
            }
            result.unicodeScalars.append(meant)
            rest = tail[tail.utf8.index(after: end)...]
        }
        return result + rest
    }

    /// The longest reference in bytes.
    private static let longest = 12

    private static func character(_ name: Substring) -> Unicode.Scalar? {
        guard name.utf8.first == UInt8(ascii: "#") else { return names[String(name)] }
        let digits = name.dropFirst()
        let isHexadecimal = digits.first == "x" || digits.first == "X"
        let number = isHexadecimal ? UInt32(digits.dropFirst(), radix: 16) : UInt32(digits)
        guard let number, let scalar = Unicode.Scalar(number), !digits.contains("+") else { return nil }
        // Browsers read these numbers as characters of Windows-1252.
        return (0x80...0x9F).contains(number) ? windows[Int(number - 0x80)] : scalar
    }

    /// Without the `&` and `;` around them.
    static func names(of scalar: Unicode.Scalar) -> [String] { written[scalar] ?? [] }

    private static let written: [Unicode.Scalar: [String]] = names.reduce(into: [:]) { written, pair in
        written[pair.value, default: []].append(pair.key)
    }

    /// 0x80 to 0x9F of Windows-1252; bytes without a character are control characters, as in most programs.
    static let windows = Array(
        "€\u{81}‚ƒ„…†‡ˆ‰Š‹Œ\u{8D}Ž\u{8F}\u{90}‘’“”•–—˜™š›œ\u{9D}žŸ".unicodeScalars
    )

    /// The names of HTML 4, and those of HTML 5 for letters and common signs.
    private static let names: [String: Unicode.Scalar] = {
        var names: [String: Unicode.Scalar] = ["nbsp": " "]
        for (place, name) in latin1.split(separator: " ").enumerated() where name != "nbsp" {
            names[String(name)] = Unicode.Scalar(0xA0 + UInt8(place))
        }
        let words = others.split { $0 == " " || $0 == "\n" }
        for place in stride(from: 0, to: words.count - 1, by: 2) {
            names[String(words[place])] = words[place + 1].unicodeScalars.first
        }
        let invisible: [(String, Unicode.Scalar)] = [
            ("ensp", " "), ("emsp", " "), ("thinsp", " "), ("Tab", "\t"), ("NewLine", "\n"), ("zwnj", "\u{200C}"),
            ("zwj", "\u{200D}"), ("lrm", "\u{200E}"), ("rlm", "\u{200F}"),
        ]
        for (name, scalar) in invisible { names[name] = scalar }
        return names
    }()

    /// From U+00A0 to U+00FF.
    private static let latin1 = """
        nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 acute \
        micro para middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde Auml Aring AElig \
        Ccedil Egrave Eacute Ecirc Euml Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash \
        Ugrave Uacute Ucirc Uuml Yacute THORN szlig agrave aacute acirc atilde auml aring aelig ccedil egrave eacute \
        ecirc euml igrave iacute icirc iuml eth ntilde ograve oacute ocirc otilde ouml divide oslash ugrave uacute ucirc \
        uuml yacute thorn yuml
        """

    /// Names and characters alternate.
    private static let others = """
        amp & lt < gt > quot " apos ' OElig Œ oelig œ Scaron Š scaron š Yuml Ÿ fnof ƒ circ ˆ tilde ˜ ndash – mdash —
        horbar ― lsquo ‘ rsquo ’ sbquo ‚ ldquo “ rdquo ” bdquo „ dagger † Dagger ‡ bull • hellip … permil ‰ prime ′
        Prime ″ lsaquo ‹ rsaquo › oline ‾ frasl ⁄ euro € image ℑ weierp ℘ real ℜ trade ™ alefsym ℵ larr ← uarr ↑ rarr →
        darr ↓ harr ↔ crarr ↵ lArr ⇐ uArr ⇑ rArr ⇒ dArr ⇓ hArr ⇔ forall ∀ part ∂ exist ∃ empty ∅ nabla ∇ isin ∈ notin ∉
        ni ∋ prod ∏ sum ∑ minus − lowast ∗ radic √ prop ∝ infin ∞ ang ∠ and ∧ or ∨ cap ∩ cup ∪ int ∫ there4 ∴ sim ∼
        cong ≅ asymp ≈ ne ≠ equiv ≡ le ≤ ge ≥ sub ⊂ sup ⊃ nsub ⊄ sube ⊆ supe ⊇ oplus ⊕ otimes ⊗ perp ⊥ sdot ⋅ lceil ⌈
        rceil ⌉ lfloor ⌊ rfloor ⌋ lang ⟨ rang ⟩ loz ◊ spades ♠ clubs ♣ hearts ♥ diams ♦ Alpha Α Beta Β Gamma Γ Delta Δ
        Epsilon Ε Zeta Ζ Eta Η Theta Θ Iota Ι Kappa Κ Lambda Λ Mu Μ Nu Ν Xi Ξ Omicron Ο Pi Π Rho Ρ Sigma Σ Tau Τ
        Upsilon Υ Phi Φ Chi Χ Psi Ψ Omega Ω alpha α beta β gamma γ delta δ epsilon ε zeta ζ eta η theta θ iota ι kappa κ
        lambda λ mu μ nu ν xi ξ omicron ο pi π rho ρ sigmaf ς sigma σ tau τ upsilon υ phi φ chi χ psi ψ omega ω
        thetasym ϑ upsih ϒ piv ϖ check ✓ cross ✗ star ☆ starf ★ phone ☎ female ♀ male ♂ numero № hyphen ‐ dash ‐
        frac13 ⅓ frac23 ⅔ frac15 ⅕ frac18 ⅛ frac38 ⅜ frac58 ⅝ frac78 ⅞ excl ! num # dollar $ percnt % lpar ( rpar )
        ast * plus + comma , period . sol / colon : semi ; equals = quest ? commat @ lsqb [ lbrack [ bsol \\ rsqb ]
        rbrack ] Hat ^ lowbar _ grave ` lcub { lbrace { vert | verbar | rcub } rbrace } Abreve Ă abreve ă Amacr Ā amacr ā
        Aogon Ą aogon ą Cacute Ć cacute ć Ccaron Č ccaron č Dcaron Ď dcaron ď Dstrok Đ dstrok đ Ecaron Ě ecaron ě
        Emacr Ē emacr ē Eogon Ę eogon ę Edot Ė edot ė Gbreve Ğ gbreve ğ Imacr Ī imacr ī Iogon Į iogon į Idot İ imath ı
        inodot ı Kcedil Ķ kcedil ķ Lcaron Ľ lcaron ľ Lcedil Ļ lcedil ļ Lstrok Ł lstrok ł Nacute Ń nacute ń Ncaron Ň
        ncaron ň Ncedil Ņ ncedil ņ Odblac Ő odblac ő Rcaron Ř rcaron ř Sacute Ś sacute ś Scedil Ş scedil ş Tcaron Ť
        tcaron ť Tcedil Ţ tcedil ţ Udblac Ű udblac ű Umacr Ū umacr ū Uogon Ų uogon ų Uring Ů uring ů Zacute Ź zacute ź
        Zcaron Ž zcaron ž Zdot Ż zdot ż
        """
}
