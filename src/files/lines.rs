//! Line numbers in a file that is in memory.

use memchr::memchr_iter;

/// The number of the line of the row that begins at `from`, after empty lines. A line ends in LF, CR LF or
/// CR.
pub(super) fn line_of_row(bytes: &[u8], from: usize) -> usize {
    let rest = &bytes[from.min(bytes.len())..];
    let start = from + rest.iter().position(|b| !b"\r\n".contains(b)).unwrap_or(0);
    1 + line_ends(&bytes[..start.min(bytes.len())])
}

/// How many lines end in these bytes, which do not end between CR and LF.
pub(super) fn line_ends(bytes: &[u8]) -> usize {
    let alone = |&at: &usize| bytes.get(at + 1) != Some(&b'\n');
    memchr_iter(b'\n', bytes).count() + memchr_iter(b'\r', bytes).filter(alone).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_line_ends_count_once() {
        assert_eq!(line_of_row(b"a\nb\n", 0), 1);
        assert_eq!(line_of_row(b"a\nb\n", 2), 2);
        assert_eq!(line_of_row(b"a\r\nb\r\n", 2), 2);
        assert_eq!(line_of_row(b"a\rb", 2), 2);
        assert_eq!(line_of_row(b"a\n\n\nb", 2), 4);
        assert_eq!(line_of_row(b"", 5), 1);
    }
}
