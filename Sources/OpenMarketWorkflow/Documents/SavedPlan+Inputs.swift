import OpenMarket
import OpenMarketFiles
import OpenMarketManifest

extension SavedPlan {
    /// Notes the files that the plan was made from and those needed to apply it, even if they are not read.
    ///
    /// No output of the same command may replace them.
    package func noteInputs() {
        let register = FileRegister.current
        // Otherwise it does not matter, and manifests may be large.
        guard register.hasOutputs else { return }
        let manifests = manifestFiles.filter { $0 != "-" && $0 != "<stdin>" }
        for file in manifests { register.note(file, as: .manifest) }
        for picture in Set(plan.operations.lazy.flatMap(\.pictures).map { ExactText($0.file) }) {
            register.note(picture.text, as: .named)
        }
        for reference in secretReferences {
            if case .file(let path) = reference { register.note(path, as: .secret) }
        }
        // Further files that the manifests name: unchanged pictures and texts.
        var options = ManifestOptions()
        options.toleratesUnset = .market
        options.allowOutside = true
        options.readsPictures = false
        _ = ManifestLoader(options: options).load(manifests)
    }
}
