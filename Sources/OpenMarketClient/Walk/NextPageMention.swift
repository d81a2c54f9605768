/// What `list.more` says where it is the address of the next page.
///
/// Null in its place says that nothing follows, but only of a list that was seen to have an address there: a market may have
/// the member and leave it null on every page.
struct NextPageMention {
    /// Whether some page had an address.
    private var isAddress = false
    /// Whether the page that came last had null, in a list that had no address so far.
    private(set) var isUncertain = false

    /// Takes in a page, in the order of the list, and settles what it says of the next one.
    mutating func settle(_ page: inout LivePage) {
        if page.namesNext == true { isAddress = true }
        if page.namesNext == false, isAddress { page.hasNext = false }
        isUncertain = page.namesNext == false && page.hasNext == nil
    }
}
