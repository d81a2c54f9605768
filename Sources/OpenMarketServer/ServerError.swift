import FoundationEssentials
import GRDB
import NIOCore
import NIOPosix
import SystemPackage

package struct ServerError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kinds that need different handling.
    package enum Code: String, Hashable, Sendable {
        /// The configuration contradicts itself.
        case configuration
        /// A vendors or faults file has an invalid value.
        case input
        /// The database was written by a newer version.
        case newerDatabase
        /// The server cannot listen on the address.
        case address
        /// The database or the pictures' folder cannot be used.
        case storage
    }

    package var code: Code
    /// One sentence, with the line of the file if there is one.
    var message: String

    init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    package var description: String { message }
}

enum ErrorText {
    static func of(_ error: any Error) -> String {
        switch error {
        case let error as ServerError:
            error.message
        case let error as DatabaseError:
            // The full description would repeat the statement with its values.
            error.message ?? "the database answered \(error.resultCode.rawValue)"
        case let error as IOError:
            Errno(rawValue: error.errnoCode).description
        case let error as Errno:
            error.description
        case let error as CocoaError:
            (error.underlying as? POSIXError).map { Errno(rawValue: $0.code.rawValue).description }
                ?? "the file system refused"
        case is SocketAddressError, is SocketAddressError.UnknownHost, is NIOConnectionError:
            "there is no such address"
        default:
            "an unexpected fault"
        }
    }
}
