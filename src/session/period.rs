//! Lengths of time as people write them.

/// The seconds that `90s`, `30m`, `8h` or `2d` means; `None` where the text is something else.
pub fn seconds(text: &str) -> Option<u64> {
    let unit = match text.chars().next_back()? {
        's' => 1,
        'm' => 60,
        'h' => 60 * 60,
        'd' => 24 * 60 * 60,
        _ => return None,
    };
    let digits = &text[..text.len() - 1];
    if !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    digits.parse::<u64>().ok()?.checked_mul(unit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_period_is_a_number_with_a_unit() {
        let rows = [
            ("90s", Some(90)),
            ("30m", Some(1800)),
            ("2h", Some(7200)),
            ("1d", Some(86_400)),
            ("0s", Some(0)),
            ("30", None),
            ("m", None),
            ("-1m", None),
            ("1.5h", None),
            ("30 m", None),
            ("30é", None),
            ("99999999999999999999d", None),
            ("9999999999999999999d", None),
            ("", None),
        ];
        for (text, expected) in rows {
            assert_eq!(seconds(text), expected, "{text:?}");
        }
    }
}
