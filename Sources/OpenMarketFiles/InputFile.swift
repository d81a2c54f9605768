public import SystemPackage

/// Opens files to read them: the one way, for each is noted in the ``FileRegister``.
public enum InputFile {
    /// Opens a file.
    ///
    /// - Parameters:
    ///   - path: the file.
    ///   - role: as what it is read.
    ///   - options: how to open it; it is closed when another program is begun in any case.
    /// - Returns: a descriptor for reading.
    /// - Throws: `Errno`.
    public static func open(
        _ path: String,
        as role: FileRole,
        options: FileDescriptor.OpenOptions = []
    ) throws(Errno) -> FileDescriptor {
        let descriptor: FileDescriptor
        do {
            descriptor = try FileDescriptor.open(path, .readOnly, options: options.union(.closeOnExec))
        } catch {
            // What cannot be read is no less an input.
            FileRegister.current.note(path, as: role)
            throw error as? Errno ?? .ioError
        }
        if let status = try? Stat(descriptor) { FileRegister.current.note(status, as: role) }
        return descriptor
    }
}
