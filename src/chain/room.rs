//! Texts of several hooks in the room that the client gives to one.

/// The most characters of one text that the client takes over as it is; of a longer one it shows
/// the first 2,000 and the path of a file.
///
/// Source: the client's hooks reference. A character is a UTF-16 unit there.
pub const ROOM: usize = 10_000;

/// Keeps a text somewhere and gives the path under which it can be read.
pub type Keep<'a> = &'a dyn Fn(&str) -> Option<String>;

/// Joins texts by blank lines. Where they have no room together, the long ones are shortened,
/// the whole is kept, and a last line says where.
pub fn join(texts: &[String], keep: Keep<'_>) -> String {
    let whole = texts.join("\n\n");
    // A text never has more UTF-16 units than bytes.
    if whole.len() <= ROOM || units(&whole) <= ROOM {
        return whole;
    }
    let note = match keep(&whole) {
        Some(path) => format!(
            "[hookman: {} characters do not fit in here; the whole text is in {path}]",
            units(&whole)
        ),
        None => format!(
            "[hookman: {} characters do not fit in here, and the whole text could not be kept]",
            units(&whole)
        ),
    };
    // Each text may take an ellipsis and the blank line behind it.
    let room = ROOM.saturating_sub(units(&note) + 3 * texts.len());
    // Less than this of a text says nothing; of very many the last ones are left out.
    let share = share(texts.iter().map(|text| units(text)).collect(), room).max(40);
    let mut shown = String::new();
    for text in texts {
        let short = shortened(text, share);
        if units(&shown) + units(&short) + units(&note) + 2 <= ROOM {
            shown.push_str(&short);
            shown.push_str("\n\n");
        }
    }
    shown + &note
}

/// The most that each of these lengths may have for all of them to fit into `room`.
fn share(mut lengths: Vec<usize>, mut room: usize) -> usize {
    lengths.sort_unstable();
    let count = lengths.len();
    for (index, length) in lengths.into_iter().enumerate() {
        let share = room / (count - index);
        if length > share {
            return share;
        }
        room -= length;
    }
    usize::MAX
}

fn shortened(text: &str, most: usize) -> String {
    if units(text) <= most {
        return text.to_owned();
    }
    let mut left = most;
    let fits = |character: &char| {
        let taken = left.checked_sub(character.len_utf16());
        left = taken.unwrap_or(0);
        taken.is_some()
    };
    text.chars().take_while(fits).chain(['…']).collect()
}

fn units(text: &str) -> usize {
    text.encode_utf16().count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_no_room_is_shortened_where_it_is_long_and_kept_whole() {
        let rows = [
            (vec!["short".to_owned(), "a".repeat(9_993)], true),
            (vec!["short".to_owned(), "a".repeat(9_994)], false),
            (vec!["a".repeat(30_000), "short".to_owned(), "b".repeat(30_000)], false),
            (vec!["𝄞".repeat(5_000)], true),
            (vec!["𝄞".repeat(5_001), "short".to_owned()], false),
            (vec!["short".to_owned(); 3_000], false),
        ];
        for (texts, fits) in rows {
            let kept = std::cell::RefCell::new(String::new());
            let keep = |text: &str| {
                text.clone_into(&mut kept.borrow_mut());
                Some("/kept".to_owned())
            };
            let whole = texts.join("\n\n");
            let joined = join(&texts, &keep);
            assert!(units(&joined) <= ROOM, "{}", units(&joined));
            assert!(joined.contains("short") || whole.starts_with('𝄞'));
            if fits {
                assert_eq!((joined, &*kept.borrow()), (whole, &String::new()));
            } else {
                let note = "do not fit in here; the whole text is in /kept]";
                assert!(joined.ends_with(note) && *kept.borrow() == whole, "{joined}");
                assert!(units(&joined) > ROOM - 400 || texts.len() > 100, "{}", units(&joined));
            }
        }
        assert!(join(&["a".repeat(20_000)], &|_| None).ends_with("could not be kept]"));
    }
}
