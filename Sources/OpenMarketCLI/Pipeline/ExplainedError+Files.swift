import OpenMarket
import OpenMarketFiles
import OpenMarketManifest
import OpenMarketWorkflow

extension FileConflict: ExplainedError {
    var explanation: Explanation {
        guard isOfContent else { return (.usage, help) }
        return (.refused, losesEdits ? "\(help); \(Setting.discardEdits.flag) of an export writes over it" : help)
    }
}

extension FileError: ExplainedError {
    var explanation: Explanation { (action == .read ? .invalidInput : .failure, help) }
}

extension ApplyInput.NoPlan: ExplainedError {
    var explanation: Explanation {
        let first = "save a plan there first: openmarket plan -o \(path)"
        return (.invalidInput, nearest.map { "did you mean '\($0)'?" } ?? first)
    }
}

extension KeyList.NotText: ExplainedError {
    var explanation: Explanation { (.invalidInput, "save the file as UTF-8") }
    var sentence: String? { "\(Setting.targetFile.flag): \(name) is not UTF-8 text" }
}

extension StateDocument.NotExported: ExplainedError {
    var explanation: Explanation { (.invalidInput, "`openmarket state export -o FILE` writes one") }
}

extension StarterShop.Fault: ExplainedError {
    var explanation: Explanation {
        switch self {
        case .manifestExists: (.failure, "name another file with \(Setting.out.flag)")
        case .pictureExists: (.failure, "name a manifest in another folder with \(Setting.out.flag)")
        }
    }
}

// MARK: - Exports

extension CatalogGap: ExplainedError {
    var explanation: Explanation { (.catalogMoved, nil) }
}

extension ExportError: ExplainedError {
    var explanation: Explanation {
        let date = DatedFiles.placeholder
        return switch self {
        case .misplacedDate: (.usage, "name such a file with \(Setting.out.flag)")
        case .keepNeedsDate:
            (
                .usage,
                "\(Setting.keep.flag) needs \(date) in the file's name: \(Setting.out.flag) 'catalog-\(date).csv.gz'"
            )
        case .folderUnreadable: (.failure, "make the folder, or name another one")
        case .databaseNeedsRegularFile: (.usage, "use -o FILE.sqlite")
        case .databaseInUse:
            (.failure, "end the programs that have the database open; what stays beside it then can be removed")
        case .notAnExport(_, isEdited: true):
            (.refused, "`openmarket pull` keeps edits; \(Setting.discardEdits.flag) writes over them")
        case .notAnExport: (.refused, "`openmarket pull` updates it; or name another file with \(Setting.out.flag)")
        case .emptyList:
            (.refused, "try again; \(Setting.allowEmpty.flag) writes an export without products all the same")
        case .missingMembers(let columns, _):
            (
                .refused,
                "try again; \(Setting.allowMissing.flag) \(columns.map(\.rawValue).joined(separator: ",")) writes an export without "
                    + "them all the same"
            )
        case .vendor: (.refused, "correct `market.vendor_id`, or remove the line: the market says who we are")
        case .othersOnly:
            (
                .refused,
                "correct or set `market.vendor_id`; \(Setting.allowEmpty.flag) writes a manifest without products all the same"
            )
        case .missing, .notACertificate, .mismatch(.rows, _): (.invalidInput, nil)
        case .uncertified: (.invalidInput, "an export writes one beside its file; keep the two together")
        case .mismatch(.digest, _):
            (.invalidInput, "it was changed, cut off or replaced since; export again, or take both files from a backup")
        case .unreadable(_, let reason): (.invalidInput, help(for: reason as? CatalogFileError))
        case .comparedManifest: (.invalidInput, "`openmarket plan` compares the market with a manifest")
        case .unsettled:
            (
                .failure,
                "try again when the market changes less; of a described market, `market probe` shows its pages"
            )
        case .unwritable(_, let reason): (.failure, reason.help)
        case .picturesMissing: (.partialFailure, "run it again; only what is missing is fetched")
        case .outdated: (.failure, "export again")
        }
    }
}

extension ExportError {
    private func help(for reason: CatalogFileError?) -> String? {
        let export = "name a file that `openmarket export -o FILE` wrote"
        if foreignKind != nil { return export }
        return reason == .changes ? "\(export) without \(Setting.since.flag)" : reason?.help
    }
}

extension ExportFormError: ExplainedError {
    var explanation: Explanation {
        let help: String? =
            switch self {
            case .unknownEnding: "name such a file, or say what is written with \(Setting.format.flag)"
            case .onlyChanges: "an export is csv, tsv, jsonl, sqlite or manifest"
            case .notForSpreadsheets, .noDelimiter: "use -o FILE.csv or \(Setting.format.flag) csv"
            case .databaseNeedsFile: "use -o FILE.sqlite"
            case .compressedDatabase: "take .gz off the file's name"
            case .databaseNeedsID: nil
            case .manifestHasNoColumns: "take fields out of the manifest afterwards: they are not managed then"
            }
        return (.usage, help)
    }

    var sentence: String? {
        guard case .onlyChanges(let format) = self else { return "\(self)" }
        return "\(Setting.format.flag) \(format.rawValue) is for \(Setting.since.flag)"
    }
}

extension CatalogOutput.Fault: ExplainedError {
    var explanation: Explanation {
        switch self {
        case .unknownEnding: (.usage, "take .txt, .md, .json, .csv, .tsv or .jsonl, or \(Setting.format.flag)")
        case .onlyExports: (.usage, "take text, markdown, json, csv, tsv or jsonl")
        case .notADocument: (.usage, nil)
        }
    }

    var sentence: String? {
        guard case .notADocument(let format) = self else { return "\(self)" }
        return "\(Setting.json.flag) does not go with \(Setting.format.flag) \(format.rawValue)"
    }
}

// MARK: - Tables

extension TableConversion.Fault: ExplainedError {
    var explanation: Explanation {
        switch self {
        case .manifestExists:
            (.failure, "name another file with \(Setting.out.flag), or write over it with \(Setting.replace.flag)")
        case .noProducts(_, let lacks): (.invalidInput, lacks.first?.help)
        case .picturesMissing:
            (.partialFailure, "the same command with \(Setting.replace.flag) fetches what is missing")
        }
    }
}

extension TablePictures.Fault: ExplainedError {
    var explanation: Explanation {
        guard case .notAHost(_, let fault) = self else { return (.usage, nil) }
        return (.usage, fault.help)
    }

    var sentence: String? {
        switch self {
        case .notAHost(let host, let fault): "\(Setting.fetchFrom.flag): '\(host.terminalSafe)' \(fault.message)"
        case .noFolder: "\(Setting.fetchFrom.flag) needs \(Setting.images.flag), the folder to keep the pictures in"
        }
    }
}

extension ConversionError: ExplainedError {
    var explanation: Explanation { (.invalidInput, help) }
    var sentence: String? { (location.map { "\($0): " } ?? "") + message }
}

// MARK: - Pulls

extension PullError: ExplainedError {
    var explanation: Explanation {
        let other = "name another file with \(Setting.out.flag), or"
        return switch self {
        case .ownerUnknown(let vendors):
            (
                .invalidInput,
                vendors.count > 1
                    ? "say who we are with \(Setting.vendorID.flag), or name products with \(Setting.id.flag)"
                    : "say who we are with \(Setting.vendorID.flag), vouch with \(Setting.adopt.flag) that all of them are ours, or name "
                        + "products with \(Setting.id.flag)"
            )
        case .missing: (.invalidInput, nil)
        case .foreign: (.invalidInput, "name your own, or correct \(Setting.vendorID.flag)")
        case .vendor:
            (.refused, "correct \(Setting.vendorID.flag) or `market.vendor_id`, or omit it: the market says who we are")
        case .empty, .allElsewhere: (.refused, nil)
        case .inTheWay: (.failure, "\(other) write over it with \(Setting.replace.flag)")
        case .invalid, .unusable: (.failure, "\(other) drop all it says with \(Setting.discard.flag)")
        case .wouldLose:
            (
                .failure,
                "drop it with \(Setting.discard.flag); or write what was changed on the market alone: "
                    + "openmarket pull \(Setting.drift.flag)"
            )
        case .wouldBeInvalid, .notAdopted: (.failure, nil)
        case .picturesOutside: (.usage, "\(Setting.images.flag) names a folder below the manifest's own")
        case .table: (.usage, "for a table: openmarket export")
        case .source: (.usage, nil)
        case .pictureTaken: (.failure, "move it away")
        case .destinationUnnamed: (.invalidInput, "it needs `market.api`")
        case .secondManifest, .leavesOut:
            (
                .refused,
                "write the file alone with \(Setting.writeOnly.flag), or manage it in another state with \(Setting.state.flag)"
            )
        case .managedElsewhere:
            (
                .refused,
                "name that manifest; where it is lost, write the file alone with \(Setting.writeOnly.flag), and apply it"
            )
        case .vendorsAreTexts: (.usage, "omit \(Setting.vendorID.flag)")
        case .picturesMissing:
            (
                .partialFailure,
                "when the pictures are available, run openmarket pull \(Setting.replace.flag)"
            )
        case .picturesUnserved(_, let keepsHead):
            (
                .invalidInput,
                keepsHead
                    ? "set `market.pictures_url` in the manifest that is there"
                    : "say its address with \(Setting.picturesURL.flag)"
            )
        }
    }

    var sentence: String? {
        guard case .destinationUnnamed(let path) = self else { return "\(self)" }
        return "\(path) does not say which market \(Setting.for.flag) means"
    }
}

extension PullRequest.NotAnID: ExplainedError {
    var explanation: Explanation { (.usage, nil) }
    var sentence: String? {
        "\(Setting.id.flag) takes the \(kind == .number ? "number" : "id") of a product, and not '\(text)'"
    }
}

extension DriftError: ExplainedError {
    var explanation: Explanation {
        switch self {
        case .stateKnowsNone:
            (
                .invalidInput,
                "name the state with \(Setting.state.flag); or let `openmarket apply` take the products over first"
            )
        case .table: (.usage, "for a table: openmarket export")
        case .changedWhileRead: (.failure, nil)
        case .changedMeanwhile: (.failure, "run it again")
        }
    }
}
