extension RandomAccessCollection {
    /// Where the elements that meet a condition begin, when all others come before them; found by halving.
    ///
    /// - Parameter isBehind: the condition.
    /// - Returns: the place of the first of them; ``endIndex`` where there is none.
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
