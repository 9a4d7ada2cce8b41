//! The order of hooks that ran side by side, after a person moved some of them.

use toml::de::DeTable;

use super::enabled::{hook, parsed, without};

/// The text after an edit with the hooks that were moved past others they ran side by side with: each
/// without `parallel`, so that it runs where the person put it. Gives their names too.
pub fn settled(before: &str, after: &str) -> (String, Vec<String>) {
    let (old, mut now) = (side_by_side(before), side_by_side(after));
    now.retain(|name| old.contains(name));
    let mut moved = Vec::new();
    let mut text = after.to_owned();
    let place = |name: &String| old.iter().position(|it| it == name);
    loop {
        let crossed = |at: usize| {
            let is_crossed =
                |other: &usize| (*other < at) != (place(&now[*other]) < place(&now[at]));
            (0..now.len()).filter(|other| *other != at).filter(is_crossed).count()
        };
        // Of those that crossed as many, the first.
        let most = (0..now.len()).rev().max_by_key(|at| crossed(*at)).filter(|at| crossed(*at) > 0);
        let Some(at) = most else { return (text, moved) };
        let name = now.remove(at);
        // A form that cannot be edited stays as the person wrote it.
        if let Some(edited) = without_parallel(&text, &name) {
            text = edited;
            moved.push(name);
        }
    }
}

fn without_parallel(text: &str, name: &str) -> Option<String> {
    let document = parsed(text).ok()?;
    let (key, value) = hook(document.get_ref(), name).ok()?.get_key_value("parallel")?;
    Some(without(text, &key.span(), &value.span(), "false"))
}

/// The names of the hooks that are marked so, in their order.
fn side_by_side(text: &str) -> Vec<String> {
    let (document, _) = DeTable::parse_recoverable(text);
    let hooks = document.get_ref().get("hook").and_then(|hooks| hooks.get_ref().as_array());
    let tables = hooks.into_iter().flatten().filter_map(|hook| hook.get_ref().as_table());
    let is_marked = |table: &&DeTable<'_>| {
        table.get("parallel").and_then(|it| it.get_ref().as_bool()) == Some(true)
    };
    let name = |table: &DeTable<'_>| {
        let name = table.get("name").or_else(|| table.get("builtin"))?;
        name.get_ref().as_str().map(str::to_owned)
    };
    tables.filter(is_marked).filter_map(name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_moved_runs_by_itself() {
        let text = |names: &str| {
            let hook = |name: &str| match name.strip_suffix('!') {
                Some(name) => format!("[[hook]]\nname = \"{name}\"\n"),
                None => {
                    format!("[[hook]]\nname = \"{name}\"\nparallel = true # so\nparallel2 = 1\n")
                }
            };
            names.split(' ').map(hook).collect::<String>().replace("# so\nparallel2 = 1\n", "\n")
        };
        for (before, after, expected) in [
            ("a b c", "a b c", "a b c"),
            ("a b c", "a c", "a c"),
            ("a b c", "a d b c", "a d b c"),
            ("a b c", "c a b", "c! a b"),
            ("a b c", "b c a", "b c a!"),
            ("a b", "b a", "b! a"),
            ("a b c d", "d c b a", "d! c! b! a"),
            ("a! b! c", "b! a! c", "b! a! c"),
            ("a b", "b a!", "b a!"),
        ] {
            let (found, _) = settled(&text(before), &text(after));
            assert_eq!(found, text(expected), "{before} to {after}");
        }
        let line =
            "hook = [{ name = \"b\", parallel = true }, { name = \"a\", parallel = true }]\n";
        let (found, moved) = settled(&text("a b"), line);
        assert_eq!((found.matches("false").count(), moved.len()), (1, 1));
    }
}
