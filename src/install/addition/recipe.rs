//! Recipes: hooks that belong together, with comments, to be put into a manifest.
//!
//! A recipe is a file in `templates/recipes/`. Its first line, a comment, says what it is for, the rest
//! of that comment explains it, and each paragraph that follows is one hook or the `[defaults]`.

use anyhow::Result;
use toml::Table;

use crate::session::names;

#[derive(Debug)]
pub(crate) struct Recipe {
    pub(crate) name: &'static str,
    text: &'static str,
}

pub(crate) const RECIPES: &[Recipe] = &[
    Recipe { name: "careful", text: include_str!("../../../templates/recipes/careful.toml") },
    Recipe {
        name: "long-session",
        text: include_str!("../../../templates/recipes/long-session.toml"),
    },
    Recipe {
        name: "quiet-laptop",
        text: include_str!("../../../templates/recipes/quiet-laptop.toml"),
    },
    Recipe { name: "team", text: include_str!("../../../templates/recipes/team.toml") },
];

#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Part {
    /// A key of `[defaults]` and the line that sets it.
    Default {
        key: String,
        line: String,
    },
    Hook {
        name: String,
        text: String,
    },
}

impl Recipe {
    /// The recipe of a name, or part of one; a blank counts as a hyphen.
    pub(crate) fn of(typed: &str) -> Result<&'static Self> {
        let name = typed.split([' ', '_', '-']).filter(|it| !it.is_empty()).collect::<Vec<_>>();
        let known: Vec<&str> = RECIPES.iter().map(|recipe| recipe.name).collect();
        let hint = format!("there are {}", known.join(", "));
        let name = names::one(&name.join("-"), &known, ["recipe", "recipes"], &hint)?;
        let recipe = RECIPES.iter().find(|recipe| recipe.name == name);
        recipe.ok_or_else(|| anyhow::anyhow!("no recipe is called `{name}`"))
    }

    pub(crate) fn summary(&self) -> &'static str {
        self.text.lines().next().unwrap_or_default().trim_start_matches(['#', ' '])
    }

    /// Lists the hooks that it adds, in order.
    pub(crate) fn parts(&self) -> Vec<Part> {
        let paragraphs = self.text.split("\n\n").skip(1).map(str::trim_end);
        paragraphs.flat_map(parts).collect()
    }

    pub(crate) fn hooks(&self) -> Vec<String> {
        let hook = |part| match part {
            Part::Hook { name, .. } => Some(name),
            Part::Default { .. } => None,
        };
        self.parts().into_iter().filter_map(hook).collect()
    }
}

fn parts(paragraph: &str) -> Vec<Part> {
    let table: Table = toml::from_str(paragraph).unwrap_or_default();
    if let Some(hook) = table.get("hook").and_then(|hooks| hooks.get(0)) {
        let name = hook.get("name").or_else(|| hook.get("builtin"));
        let name = name.and_then(|name| name.as_str()).unwrap_or_default().to_owned();
        return vec![Part::Hook { name, text: format!("{paragraph}\n") }];
    }
    let of_line = |line: &str| {
        let (key, _) = line.split_once('=')?;
        Some(Part::Default { key: key.trim().to_owned(), line: line.to_owned() })
    };
    paragraph.lines().filter(|line| !line.starts_with(['#', '['])).filter_map(of_line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recipes_are_found_as_people_type_them() {
        for (typed, name) in [
            ("careful", "careful"),
            ("Long Session", "long-session"),
            ("quiet_laptop", "quiet-laptop"),
            ("long", "long-session"),
            (" team ", "team"),
        ] {
            assert_eq!(Recipe::of(typed).unwrap().name, name);
        }
        for typed in ["", "e", "teem", "xyz"] {
            assert!(Recipe::of(typed).is_err(), "{typed}");
        }
    }

    #[test]
    fn every_paragraph_of_a_recipe_adds_something_that_has_a_comment() {
        for recipe in RECIPES {
            let paragraphs = recipe.text.split("\n\n").count() - 1;
            assert_eq!(recipe.parts().len(), paragraphs, "{}", recipe.name);
            assert!(!recipe.summary().is_empty() && !recipe.hooks().is_empty());
            for part in recipe.parts() {
                if let Part::Hook { name, text } = part {
                    assert!(!name.is_empty() && text.starts_with("# "), "{text}");
                }
            }
        }
    }
}
