extension Program {
    /// The same on a terminal that Python makes: what its input file holds is typed, and its output is what the terminal shows.
    func onTerminal() -> Program {
        let script = "import os, pty, sys; sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:])))"
        return Program(
            Python.path ?? "python3",
            ["-c", script, path] + arguments,
            environment: ["TERM": "xterm"].merging(environment) { $1 },
            folder: folder,
            input: input
        )
    }
}
