/// Interprets `list.more` if it is the address of the next page.
///
/// Null means the last page, but only in a list with an earlier address there: a market may have the member and leave
/// it null on every page.
struct NextPageMention {
    private var isAddress = false
    /// Whether the latest page had null, in a list without an address so far.
    private(set) var isUncertain = false

    /// Handles a page, in the order of the list, and decides its statement about the next one.
    mutating func settle(_ page: inout LivePage) {
        if page.namesNext == true { isAddress = true }
        if page.namesNext == false, isAddress { page.hasNext = false }
        isUncertain = page.namesNext == false && page.hasNext == nil
    }
}
