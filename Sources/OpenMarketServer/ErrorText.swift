import FoundationEssentials
import GRDB
import NIOCore
import NIOPosix
import SystemPackage

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

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
