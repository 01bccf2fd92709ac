//! Numbers of bytes on the command line.

/// Reads a number of bytes: `67108864`, `64M`, `1G`, `512K`, by factors of 1024.
pub(crate) fn bytes(text: &str) -> Result<u64, String> {
    let wrong = || "expected a number of bytes, as 67108864, 64M or 1G".to_string();
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let shift = match &text[digits.len()..] {
        "" => 0,
        "K" | "KiB" => 10,
        "M" | "MiB" => 20,
        "G" | "GiB" => 30,
        "T" | "TiB" => 40,
        _ => return Err(wrong()),
    };
    let number: u64 = digits.parse().map_err(|_| wrong())?;
    number.checked_mul(1 << shift).ok_or_else(wrong)
}

/// A number of bytes, for people.
pub(crate) fn text(bytes: u64) -> String {
    let units = [("TiB", 40), ("GiB", 30), ("MiB", 20), ("KiB", 10)];
    match units.into_iter().find(|(_, shift)| bytes >> shift > 0) {
        Some((unit, shift)) => format!("{:.1} {unit}", bytes as f64 / (1u64 << shift) as f64),
        None => format!("{bytes} bytes"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_numbers_with_a_unit_or_without() {
        let right = [("0", 0), ("4096", 4096), ("512K", 512 << 10), ("64M", 64 << 20), ("2GiB", 2 << 30)];
        for (text, number) in right {
            assert_eq!(bytes(text), Ok(number), "{text}");
        }
        for wrong in ["", "M", "-1", "1.5G", "1X", "64 M", "99999999999T"] {
            assert!(bytes(wrong).is_err(), "{wrong}");
        }
        assert_eq!([0, 1536, 64 << 20].map(text), ["0 bytes", "1.5 KiB", "64.0 MiB"]);
    }
}
