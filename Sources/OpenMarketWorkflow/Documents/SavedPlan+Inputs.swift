import OpenMarket
import OpenMarketFiles
import OpenMarketManifest

extension SavedPlan {
    /// Notes the files that the plan was made from and those that it is carried out with, also where they are not read:
    /// no output of a command that has it takes their place.
    package func noteInputs() {
        let register = FileRegister.current
        // Only then does it matter, and manifests may be large.
        guard register.hasOutputs else { return }
        let manifests = manifestFiles.filter { $0 != "-" && $0 != "<stdin>" }
        for file in manifests { register.note(file, as: .manifest) }
        for picture in Set(plan.operations.lazy.flatMap(\.pictures).map { ExactText($0.file) }) {
            register.note(picture.text, as: .named)
        }
        for reference in secretReferences {
            if case .file(let path) = reference { register.note(path, as: .secret) }
        }
        // What the manifests name beside that: pictures that stay as they are, texts in files.
        var options = ManifestOptions()
        options.toleratesUnset = .market
        options.allowOutside = true
        options.readsPictures = false
        _ = ManifestLoader(options: options).load(manifests)
    }
}
