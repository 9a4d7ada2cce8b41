//! Reading `[[package]]`, and `[package]`, the head of a package's own manifest.

use toml::de::DeTable;

use super::keys::{HeadKeys, PackageKeys};
use super::model::check_package_name;
use super::package::{PLUGIN, Package, Provenance};
use super::reader::{Item, Reader};
use super::table::Table;

/// The packages that the text of a manifest names; none where it cannot be read.
pub fn named(text: &str) -> Vec<Package> {
    let mut reader = Reader::new("", text);
    let document = reader.parse();
    read(&mut reader, document.get_ref()).into_iter().map(|(_, package)| package).collect()
}

/// The packages of a manifest, in its order, each with the offset of its table.
pub(super) fn read(reader: &mut Reader<'_>, table: &DeTable<'_>) -> Vec<(usize, Package)> {
    // A table that is no list is the head of a package's own manifest.
    let items = table.get("package").and_then(|value| value.get_ref().as_array());
    let mut packages: Vec<(usize, Package)> = Vec::new();
    for item in items.into_iter().flatten() {
        let at = item.span().start;
        let Some(package) = one(reader, item) else { continue };
        match packages.iter().find(|(_, it)| it.name == package.name) {
            Some((_, earlier)) => {
                let (name, line) = (&package.name, earlier.line);
                reader.problem(at, format!("the package `{name}` is in line {line} already"));
            }
            None => packages.push((at, package)),
        }
    }
    packages
}

fn one(reader: &mut Reader<'_>, item: &Item<'_>) -> Option<Package> {
    let at = item.span().start;
    let before = reader.problems.len();
    let table = reader.inner("package", item)?;
    let PackageKeys { name, git, path, plugin, folder, rev, hooks } =
        PackageKeys::of(reader, table);
    if reader.problems.len() > before {
        return None;
    }
    let mut refuse = |message: String| reader.problem(at, message);
    let Some(name) = name else {
        refuse("this package has no name; give it one: name = \"…\"".to_owned());
        return None;
    };
    if let Err(error) = check_package_name(&name) {
        refuse(error.to_string());
        return None;
    }
    if git.is_none() && rev.is_some() {
        refuse(format!(
            "`rev` is for a repository, which the package `{name}` does not name by `git`"
        ));
        return None;
    }
    let from = match (git, path, plugin) {
        (Some(url), None, None) if rev.is_some() => Provenance::Git(url),
        (None, None, Some(plugin)) => Provenance::Git(format!("{PLUGIN}{plugin}")),
        (Some(_), None, None) => {
            refuse(format!("the package `{name}` needs `rev`, a tag, a branch or a commit"));
            return None;
        }
        (None, Some(path), None) => Provenance::Path(path),
        _ => {
            let ways = "one of `git`, a repository, `path`, a directory, and `plugin`, an installed plugin";
            refuse(format!("the package `{name}` needs {ways}"));
            return None;
        }
    };
    let (folder, line) = (folder.unwrap_or_default(), reader.origin(at).position.line);
    Some(Package { name, from, folder, rev, hooks, line })
}

/// The head of a package's own manifest; `None` where it has none.
pub(super) fn head(reader: &mut Reader<'_>, table: &DeTable<'_>) -> Option<HeadKeys> {
    let value = table.get("package").filter(|value| value.get_ref().as_array().is_none())?;
    let table = reader.inner("package", value)?;
    Some(HeadKeys::of(reader, table))
}
