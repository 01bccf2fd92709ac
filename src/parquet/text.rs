//! The text of values: what a CSV file would have in their place.

use super::kind::Kind;
use parquet::basic::{ConvertedType, LogicalType, TimeUnit, Type};
use parquet::schema::types::ColumnDescriptor;
use std::io::Write;

/// How the values of a column become text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Format {
    Boolean,
    Integer,
    /// Integers of 32 or 64 bits without a sign.
    Unsigned,
    Float,
    Text,
    Bytes,
    /// Days since 1970.
    Date,
    /// Time since midnight.
    Time(Unit),
    /// Time since 1970, and whether it is that of UTC.
    Timestamp(Unit, bool),
    /// A timestamp of 96 bits, as old writers have them.
    Timestamp96,
    /// An integer with so many digits after the point.
    Decimal(usize),
    Uuid,
}

/// How many of these a second has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Unit(i64);

impl From<TimeUnit> for Unit {
    fn from(unit: TimeUnit) -> Self {
        Self(match unit {
            TimeUnit::MILLIS => 1000,
            TimeUnit::MICROS => 1_000_000,
            TimeUnit::NANOS => 1_000_000_000,
        })
    }
}

impl Format {
    /// The format of a column; else its type, which is not read.
    pub(super) fn of(column: &ColumnDescriptor) -> Result<Self, String> {
        let physical = column.physical_type();
        let format = match column.logical_type_ref() {
            Some(logical) => logical_format(logical, physical),
            None => converted_format(column),
        };
        format.filter(|format| format.admits(physical)).ok_or_else(|| {
            let logical = column.logical_type_ref().map(|logical| format!("{logical:?}"));
            let converted = Some(column.converted_type()).filter(|&other| other != ConvertedType::NONE);
            let what = logical.or(converted.map(|converted| converted.to_string()));
            what.map_or_else(|| physical.to_string(), |what| format!("{what}, as {physical}"))
        })
    }

    /// What the text is.
    pub(super) fn kind(self) -> Kind {
        match self {
            Self::Boolean => Kind::Boolean,
            Self::Integer => Kind::Integer,
            Self::Unsigned => Kind::Unsigned,
            Self::Float => Kind::Float,
            Self::Bytes => Kind::Bytes,
            _ => Kind::Text,
        }
    }

    /// Whether a column may have this format. Others are an error of the file.
    fn admits(self, physical: Type) -> bool {
        match self {
            Self::Boolean => physical == Type::BOOLEAN,
            Self::Float => matches!(physical, Type::FLOAT | Type::DOUBLE),
            Self::Text => physical == Type::BYTE_ARRAY,
            Self::Bytes | Self::Decimal(_) if physical == Type::FIXED_LEN_BYTE_ARRAY => true,
            Self::Bytes => physical == Type::BYTE_ARRAY,
            Self::Uuid => physical == Type::FIXED_LEN_BYTE_ARRAY,
            Self::Timestamp96 => physical == Type::INT96,
            Self::Date => physical == Type::INT32,
            Self::Timestamp(..) => physical == Type::INT64,
            Self::Decimal(_) if physical == Type::BYTE_ARRAY => true,
            Self::Integer | Self::Unsigned | Self::Time(_) | Self::Decimal(_) => {
                matches!(physical, Type::INT32 | Type::INT64)
            }
        }
    }

    /// Appends an integer.
    pub(super) fn integer(self, value: i64, out: &mut Vec<u8>) {
        match self {
            Self::Unsigned => digits(out, value.cast_unsigned()),
            Self::Date => date(value, out),
            Self::Time(unit) => time(value, unit, out),
            Self::Timestamp(unit, utc) => timestamp(value, unit, utc, out),
            Self::Decimal(scale) => decimal(value.into(), scale, out),
            _ => digits(out, value),
        }
    }

    /// Bytes as text, which is in `out` if it is not that of the bytes themselves. Else says what is wrong
    /// with them.
    pub(super) fn bytes<'v>(self, value: &'v [u8], out: &'v mut Vec<u8>) -> Result<&'v [u8], &'static str> {
        match self {
            Self::Decimal(scale) => {
                let integer = big_endian(value).ok_or("a decimal number of more than 128 bits")?;
                decimal(integer, scale, out);
            }
            Self::Uuid => {
                for (at, byte) in value.iter().enumerate() {
                    let dash = if matches!(at, 4 | 6 | 8 | 10) { "-" } else { "" };
                    put(out, format_args!("{dash}{byte:02x}"));
                }
            }
            Self::Text if std::str::from_utf8(value).is_err() => return Err("a text that is no UTF-8"),
            _ => return Ok(value),
        }
        Ok(out)
    }
}

/// The format of a logical type, if it is read.
fn logical_format(logical: &LogicalType, physical: Type) -> Option<Format> {
    Some(match logical {
        LogicalType::String | LogicalType::Enum | LogicalType::Json => Format::Text,
        LogicalType::Bson => Format::Bytes,
        LogicalType::Integer(integer) if integer.is_signed => Format::Integer,
        LogicalType::Integer(_) => Format::Unsigned,
        LogicalType::Decimal(decimal) => decimal_format(decimal.scale)?,
        LogicalType::Date => Format::Date,
        LogicalType::Time(time) => Format::Time(time.unit.into()),
        LogicalType::Timestamp(time) => Format::Timestamp(time.unit.into(), time.is_adjusted_to_u_t_c),
        LogicalType::Uuid => Format::Uuid,
        // A column without a value.
        LogicalType::Unknown => physical_format(physical),
        _ => return None,
    })
}

/// The format of a type of old files, which have no logical types.
fn converted_format(column: &ColumnDescriptor) -> Option<Format> {
    use ConvertedType as Converted;
    Some(match column.converted_type() {
        Converted::NONE => physical_format(column.physical_type()),
        Converted::UTF8 | Converted::ENUM | Converted::JSON => Format::Text,
        Converted::BSON => Format::Bytes,
        Converted::INT_8 | Converted::INT_16 | Converted::INT_32 | Converted::INT_64 => Format::Integer,
        Converted::UINT_8 | Converted::UINT_16 | Converted::UINT_32 | Converted::UINT_64 => Format::Unsigned,
        Converted::DECIMAL => decimal_format(column.type_scale())?,
        Converted::DATE => Format::Date,
        Converted::TIME_MILLIS => Format::Time(TimeUnit::MILLIS.into()),
        Converted::TIME_MICROS => Format::Time(TimeUnit::MICROS.into()),
        Converted::TIMESTAMP_MILLIS => Format::Timestamp(TimeUnit::MILLIS.into(), true),
        Converted::TIMESTAMP_MICROS => Format::Timestamp(TimeUnit::MICROS.into(), true),
        _ => return None,
    })
}

/// A decimal number, if its digits after the point are not more than 128 bits have.
fn decimal_format(scale: i32) -> Option<Format> {
    usize::try_from(scale).ok().filter(|&scale| scale <= 38).map(Format::Decimal)
}

fn physical_format(physical: Type) -> Format {
    match physical {
        Type::BOOLEAN => Format::Boolean,
        Type::INT32 | Type::INT64 => Format::Integer,
        Type::INT96 => Format::Timestamp96,
        Type::FLOAT | Type::DOUBLE => Format::Float,
        Type::BYTE_ARRAY | Type::FIXED_LEN_BYTE_ARRAY => Format::Bytes,
    }
}

/// Appends a text.
pub(super) fn put(out: &mut Vec<u8>, text: std::fmt::Arguments) {
    // Memory takes all.
    let _ = out.write_fmt(text);
}

/// Appends an integer.
pub(super) fn digits(out: &mut Vec<u8>, value: impl itoa::Integer) {
    out.extend_from_slice(itoa::Buffer::new().format(value).as_bytes());
}

/// Appends a timestamp of 96 bits: nanoseconds of a day, and the day since noon of 1 January 4713 BC.
pub(super) fn timestamp_96([low, high, day]: [u32; 3], out: &mut Vec<u8>) {
    /// That of 1 January 1970.
    const EPOCH: i64 = 2_440_588;
    date(i64::from(day) - EPOCH, out);
    out.push(b'T');
    let nanoseconds = u64::from(high) << 32 | u64::from(low);
    time(nanoseconds.cast_signed(), TimeUnit::NANOS.into(), out);
}

/// Appends a date of so many days since 1970, in the Gregorian calendar.
fn date(days: i64, out: &mut Vec<u8>) {
    /// Days of 400 years.
    const ERA: i64 = 146_097;
    // Years begin in March: then a leap day is the last one. 0000-03-01 is day 0.
    let days = days + 719_468;
    let (era, day) = (days.div_euclid(ERA), days.rem_euclid(ERA));
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = era * 400 + year + i64::from(month <= 2);
    let sign = if year < 0 { "-" } else { "" };
    put(out, format_args!("{sign}{:04}-{month:02}-{day:02}", year.abs()));
}

/// Appends a time of the day. A fraction of a second is written without zeros at its end: then equal times of
/// different units have equal texts.
fn time(value: i64, unit: Unit, out: &mut Vec<u8>) {
    let (seconds, fraction) = (value.div_euclid(unit.0), value.rem_euclid(unit.0));
    put(out, format_args!("{:02}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60));
    if fraction > 0 {
        let digits = unit.0.ilog10() as usize;
        put(out, format_args!(".{fraction:0digits$}"));
        let zeros = out.iter().rev().take_while(|&&digit| digit == b'0').count();
        out.truncate(out.len() - zeros);
    }
}

fn timestamp(value: i64, unit: Unit, utc: bool, out: &mut Vec<u8>) {
    const DAY: i64 = 86_400;
    let seconds = value.div_euclid(unit.0);
    date(seconds.div_euclid(DAY), out);
    out.push(b'T');
    let fraction = value.rem_euclid(unit.0);
    time(seconds.rem_euclid(DAY) * unit.0 + fraction, unit, out);
    if utc {
        out.push(b'Z');
    }
}

fn decimal(value: i128, scale: usize, out: &mut Vec<u8>) {
    if value < 0 {
        out.push(b'-');
    }
    let width = scale + 1;
    put(out, format_args!("{:0width$}", value.unsigned_abs()));
    if scale > 0 {
        out.insert(out.len() - scale, b'.');
    }
}

/// An integer with its highest byte first.
fn big_endian(bytes: &[u8]) -> Option<i128> {
    let sign = if bytes.first().is_some_and(|&first| first >= 0x80) { 0xff } else { 0 };
    let (extra, bytes) = bytes.split_at(bytes.len().saturating_sub(16));
    let mut all = [sign; 16];
    all[16 - bytes.len()..].copy_from_slice(bytes);
    let value = i128::from_be_bytes(all);
    let fits = extra.iter().all(|&byte| byte == sign) && (value < 0) == (sign != 0);
    fits.then_some(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(append: impl FnOnce(&mut Vec<u8>)) -> String {
        let mut out = b"x".to_vec();
        append(&mut out);
        String::from_utf8(out.split_off(1)).expect("text")
    }

    #[test]
    fn dates_and_times_are_those_of_the_calendar() {
        for (days, expected) in [
            (0, "1970-01-01"),
            (-1, "1969-12-31"),
            (59, "1970-03-01"),
            (11_016, "2000-02-29"),
            (11_017, "2000-03-01"),
            (47_541, "2100-03-01"),
            (-719_162, "0001-01-01"),
            (-719_529, "-0001-12-31"),
            (2_932_896, "9999-12-31"),
            (i64::from(i32::MAX), "5881580-07-11"),
        ] {
            assert_eq!(text(|out| Format::Date.integer(days, out)), expected);
        }
        let (milli, nano) = (Unit::from(TimeUnit::MILLIS), Unit::from(TimeUnit::NANOS));
        for (value, unit, expected) in [
            (0, nano, "1970-01-01T00:00:00"),
            (-1, milli, "1969-12-31T23:59:59.999"),
            (1_500, milli, "1970-01-01T00:00:01.5"),
            (1_500_000_000, nano, "1970-01-01T00:00:01.5"),
            (86_399_000_000_001, nano, "1970-01-01T23:59:59.000000001"),
            (i64::MIN, nano, "1677-09-21T00:12:43.145224192"),
            (i64::MAX, nano, "2262-04-11T23:47:16.854775807"),
        ] {
            assert_eq!(text(|out| Format::Timestamp(unit, false).integer(value, out)), expected);
            assert_eq!(
                text(|out| Format::Timestamp(unit, true).integer(value, out)),
                expected.to_owned() + "Z"
            );
        }
        assert_eq!(text(|out| Format::Time(milli).integer(45_296_780, out)), "12:34:56.78");
        assert_eq!(text(|out| timestamp_96([1_000_000_000, 0, 2_440_589], out)), "1970-01-02T00:00:01");
        // No value of a unit leads to an overflow.
        for value in [i64::MIN, i64::MAX] {
            for format in [Format::Time(milli), Format::Timestamp(milli, true), Format::Date] {
                if format != Format::Date {
                    text(|out| format.integer(value, out));
                }
            }
        }
        text(|out| timestamp_96([u32::MAX; 3], out));
    }

    #[test]
    fn decimal_numbers_have_all_their_digits() {
        for (value, scale, expected) in
            [(0, 0, "0"), (0, 2, "0.00"), (-5, 2, "-0.05"), (12_345, 2, "123.45"), (-12_345, 0, "-12345")]
        {
            assert_eq!(text(|out| decimal(value, scale, out)), expected);
            let bytes = value.to_be_bytes();
            let found = Format::Decimal(scale).bytes(&bytes, &mut Vec::new()).map(<[u8]>::to_vec);
            assert_eq!(found, Ok(expected.as_bytes().to_vec()));
        }
        assert_eq!(big_endian(&[]), Some(0));
        assert_eq!(big_endian(&[0xff]), Some(-1));
        assert_eq!(big_endian(&[0, 0xff]), Some(255));
        let longer = |first: u8, value: i128| [&[first][..], &value.to_be_bytes()].concat();
        assert_eq!(big_endian(&longer(0, i128::MAX)), Some(i128::MAX));
        assert_eq!(big_endian(&longer(0xff, -2)), Some(-2));
        assert_eq!(big_endian(&longer(1, 5)), None);
        assert_eq!(big_endian(&longer(0, -5)), None);
        assert_eq!(text(|out| decimal(i128::MIN, 1, out)), "-17014118346046923173168730371588410572.8");
    }

    #[test]
    fn other_bytes_are_as_they_are() {
        let of = |format: Format, value: &[u8]| format.bytes(value, &mut Vec::new()).map(<[u8]>::to_vec);
        assert_eq!(of(Format::Bytes, b"\xff"), Ok(b"\xff".to_vec()));
        assert_eq!(of(Format::Text, b"\xff"), Err("a text that is no UTF-8"));
        let uuid: Vec<u8> = (0..16).collect();
        assert_eq!(of(Format::Uuid, &uuid), Ok(b"00010203-0405-0607-0809-0a0b0c0d0e0f".to_vec()));
        assert_eq!(text(|out| Format::Unsigned.integer(-1, out)), u64::MAX.to_string());
    }
}
