import OpenMarket

extension SecretReference {
    func mappingPath(_ map: (String) -> String) -> SecretReference {
        switch self {
        case .environment: self
        case .file(let path): .file(map(path))
        case .manifest(let file, let path): .manifest(map(file), path: path)
        }
    }
}
