/// The error values that spreadsheets show, for a failed formula or a number too wide for its column.
enum SpreadsheetError {
    /// Whether a cell holds only an error value.
    ///
    /// A text that merely begins like one (`#1 Lamp`) does not count.
    static func isOne(_ text: String) -> Bool {
        guard let first = text.unicodeScalars.first else { return false }
        let sign = compact(text)
        if first == "#" || first == "＃" {
            if text.unicodeScalars.count > 1, text.unicodeScalars.allSatisfy({ $0 == first }) { return true }
            return all.contains(sign)
        }
        return isNumbered(sign)
    }

    /// An error value as it is compared: in capitals and half-width characters, without blanks.
    ///
    /// French programs write blanks before `!` and `?`, and web spreadsheets after `#`.
    private static func compact(_ text: String) -> String {
        var compact = ""
        for scalar in text.unicodeScalars
        where !scalar.properties.isWhitespace && !scalar.properties.isDefaultIgnorableCodePoint {
            let isWide = (0xFF01...0xFF5E).contains(scalar.value)
            compact.unicodeScalars.append(isWide ? Unicode.Scalar(scalar.value - 0xFEE0) ?? scalar : scalar)
        }
        return compact.uppercased()
    }

    /// Whether the text is one of LibreOffice's numbered errors: `Err:502`, with the word in the program's language.
    private static func isNumbered(_ text: String) -> Bool {
        guard text.utf8.count <= 32, let colon = text.firstIndex(of: ":") else {
            return false
        }
        let number = text[text.index(after: colon)...]
        return number.utf8.count == 3 && number.utf8.allSatisfy { (0x30...0x39).contains($0) }
            && words.contains(text[..<colon].lowercased())
    }

    /// The words that LibreOffice writes before an error's number, in languages that differ from English.
    static let words = Set(
        """
        err erro error erreur errore fehler fout fel fejl feil virhe błąd chyba hiba hata eroare ошибка помилка 오류
        エラー 错误 錯誤
        """.split(whereSeparator: \.isWhitespace).map(String.init)
    )

    /// Every error value in its compared form.
    static let all = Set(
        byLanguage.split(whereSeparator: \.isWhitespace).filter { $0.hasPrefix("#") }.map { compact(String($0)) }
    )

    /// The error values by language; Excel shows the English ones in Chinese, Japanese, Korean, Malay and Thai.
    private static let byLanguage = """
        English: #NULL! #DIV/0! #VALUE! #REF! #NAME? #NUM! #N/A #GETTING_DATA #GETTING_DATA! #SPILL! #CALC! #FIELD!
          #BLOCKED! #CONNECT! #BUSY! #PYTHON! #UNKNOWN! #EXTERNAL! #TIMEOUT! #CYCLE! #CIRCULAR! #ERROR! #ERR! #MACRO?
          #DATA! #NAME! #N/A! #N/AN/A #LOADING...
        German: #WERT! #BEZUG! #ZAHL! #NV #ÜBERLAUF! #KALK! #FELD! #BLOCKIERT! #VERBINDEN! #UNBEKANNT! #DATEN_ABRUFEN
          #FEHLER! #MAKRO? #BESETZT! #EXTERN!
        French: #NUL! #VALEUR! #NOM? #NOMBRE! #EPARS! #ÉPARS! #PROPAGATION! #CALCUL! #CHAMP! #BLOQUE! #BLOQUÉ!
          #CONNEXION! #INCONNU! #CHARGEMENT_DONNEES #OBTENTION_DONNEES #ERREUR! #OCCUPE!
        Spanish: #¡NULO! #¡DIV/0! #¡VALOR! #¡REF! #¿NOMBRE? #¡NUM! #¡DESBORDAMIENTO! #¡CALC! #¡CAMPO! #¡BLOQUEADO!
          #¡CONECTAR! #¡DESCONOCIDO! #OBTENIENDO_DATOS #CAMPO! #BLOQUEADO! #CONECTAR! #DESCONOCIDO! #¡ERROR!
          #¡OCUPADO! #¿NOMBRE!
        Italian: #NULLO! #VALORE! #RIF! #NOME? #N/D #ESPANSIONE! #ESPANDI! #CALC! #CAMPO! #BLOCCATO! #CONNESSIONE!
          #SCONOSCIUTO! #RECUPERO_DATI #ERRORE!
        Portuguese: #NULO! #VALOR! #NOME? #NÚM! #N/D #DESPEJAR! #PROPAGAÇÃO! #EXCEDEU! #CAMPO! #BLOQUEADO! #CONECTAR!
          #LIGAR! #DESCONHECIDO! #OBTENDO_DADOS #A_OBTER_DADOS #OCUPADO! #ERRO!
        Dutch: #LEEG! #DEEL/0! #WAARDE! #VERW! #NAAM? #GETAL! #N/B #OVERLOOP! #BEREKENEN! #VELD! #GEBLOKKEERD!
          #VERBINDEN! #ONBEKEND! #GEGEVENS_OPHALEN #FOUT!
        Polish: #ZERO! #PUSTE! #DZIEL/0! #ARG! #ADR! #NAZWA? #LICZBA! #N/D! #N/D #ROZLANIE! #OBL! #POLE! #ZABLOKOWANE!
          #POŁĄCZ! #NIEZNANY! #POBIERANIE_DANYCH #BŁĄD!
        Russian: #ПУСТО! #ДЕЛ/0! #ЗНАЧ! #ССЫЛКА! #ИМЯ? #ЧИСЛО! #Н/Д #ПЕРЕНОС! #ПЕРЕПОЛНЕНИЕ! #ВЫЧИС! #ПОЛЕ!
          #БЛОКИРОВАНО! #ЗАБЛОКИРОВАНО! #ПОДКЛЮЧЕНИЕ! #НЕИЗВЕСТНО! #ПОЛУЧЕНИЕ_ДАННЫХ #ОЖИДАНИЕ_ДАННЫХ #ОШИБКА!
        Ukrainian: #ПУСТО! #ДІЛ/0! #DIV/0! #ЗНАЧ! #ПОСИЛАННЯ! #REF! #ІМ'Я? #NAME? #ЧИСЛО! #Н/Д #ПОМИЛКА!
        Turkish: #BOŞ! #SAYI/0! #DEĞER! #BAŞV! #AD? #SAYI! #YOK #TAŞMA! #HESAPLA! #ALAN! #ENGELLENDİ! #BAĞLAN!
          #BİLİNMİYOR! #VERİ_ALINIYOR #HATA!
        Swedish: #SKÄRNING! #DIVISION/0! #VÄRDEFEL! #REFERENS! #NAMN? #OGILTIGT! #SAKNAS! #SAKNAS #SPILL! #BERÄKNA!
          #FÄLT! #BLOCKERAD! #ANSLUT! #OKÄNT! #HÄMTAR_DATA #FEL!
        Danish: #NUL! #DIVISION/0! #VÆRDI! #REFERENCE! #NAVN? #NUM! #I/T #OVERLØB! #BEREGN! #FELT! #BLOKERET!
          #FORBIND! #UKENDT! #HENTER_DATA #FEJL!
        Norwegian: #VERDI! #NAVN? #I/T #OVERFLYT! #KALK! #BEREGN! #FELT! #BLOKKERT! #KOBLE_TIL! #UKJENT! #HENTER_DATA
          #FEIL!
        Finnish: #TYHJÄ! #JAKO/0! #ARVO! #VIITTAUS! #NIMI? #LUKU! #PUUTTUU! #PUUTTUU #TÄYNNÄ! #LASKE! #KENTTÄ!
          #ESTETTY! #YHDISTÄ! #TUNTEMATON! #NOUDETAAN_TIETOJA #VIRHE!
        Czech: #DĚLENÍ_NULOU! #HODNOTA! #ODKAZ! #NÁZEV? #ČÍSLO! #NENÍ_K_DISPOZICI #PŘESAH! #POLE! #BLOKOVÁNO!
          #ZÍSKÁVÁNÍ_DAT #NEZNÁMÉ! #CHYBA!
        Slovak: #NEPLATNÝ! #DELENIENULOU! #DELENIE_NULOU! #HODNOTA! #ODKAZ! #NÁZOV? #ČÍSLO! #NEDOSTUPNÝ #NEDOSTUPNÉ
          #PRESAH! #POLE! #ZÍSKAVAJÚ_SA_ÚDAJE #CHYBA!
        Hungarian: #NULLA! #ZÉRÓOSZTÓ! #ÉRTÉK! #HIV! #NÉV? #SZÁM! #HIÁNYZIK #KIBONTÁS! #KITÖLTÉS! #MEZŐ! #LETILTVA!
          #ISMERETLEN! #ADATOK_BEKÉRÉSE #HIBA!
        Romanian: #VALOARE! #NUME? #NUL! #EROARE!
        Croatian: #VRIJEDNOST! #BROJ! #DIJ/0! #NAZIV? #N/D
        Slovenian: #VREDN! #ŠTEV! #DEL/0! #IME? #N/V #SKLIC! #NIČ!
        Greek: #ΤΙΜΗ! #ΑΡΙΘ! #ΔΙΑΙΡ./0! #ΔΙΑΙΡ/0! #ΟΝΟΜΑ? #Δ/Υ #ΑΝΑΦ! #ΚΕΝΟ!
        Korean: #값! #오류! #이름? #분산! #계산!
        Japanese: #スピル! #計算! #エラー!
        Chinese: #溢出! #计算! #計算! #錯誤! #错误! #值! #数值! #數值! #名称? #名稱? #引用! #参照! #空值! #空! #数字! #數字! #除零! #字段! #欄位! #未知!
          #已阻止! #连接! #不可用
        """
}
