import OpenMarket

/// Whether rows came in an order in which what is new comes first: by falling number, or by falling day and, within a
/// day, by falling number.
///
/// A list that leaves the order of a day's products open shows some of them twice and others not at all on its way from
/// page to page, though nothing changes.
struct ListOrder {
    private var lastID: ProductID?
    private var lastDay: String?
    /// Whether all rows came by falling number, whatever their days.
    private(set) var fallsByID = true
    private var fallsByDay = true

    /// Whether all rows came in such an order.
    var isNewestFirst: Bool { fallsByID || fallsByDay }

    /// Takes in the next row that was not there before.
    mutating func add(_ id: ProductID, day: String?) {
        if let lastID {
            if id >= lastID { fallsByID = false }
            if let day, let lastDay {
                if day > lastDay || day == lastDay && id > lastID { fallsByDay = false }
            } else {
                fallsByDay = false
            }
        }
        lastID = id
        lastDay = day
    }
}
