extension RandomAccessCollection {
    /// The first element that meets a condition, by binary search; ``endIndex`` if there is none.
    ///
    /// All other elements must precede those that meet it.
    package func partitioningIndex(where isBehind: (Element) -> Bool) -> Index {
        var start = startIndex
        var count = count
        while count > 0 {
            let half = count / 2
            let middle = index(start, offsetBy: half)
            if isBehind(self[middle]) {
                count = half
            } else {
                start = index(after: middle)
                count -= half + 1
            }
        }
        return start
    }
}
