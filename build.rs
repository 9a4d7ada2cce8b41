//! Lists the catalogue: every file in `templates/hooks` is a ready-made hook. The lists of programs are
//! written here as Rust.
//!
//! The program has them as JSON, because a command that reads the catalogue would pay ten times as
//! much for TOML. A hook whose `[like]` names another has that one's rules in it here, so that nobody
//! has to read the other.

use std::fmt::Write;
use std::path::Path;
use std::{fs, io};

use serde_json::{Map, Value};

/// What a project commits, with a place for the address where hookman is to be had.
const LAUNCHER: &str = "templates/launcher.sh";

/// The form in which plans have the names that a guard looks for.
const FORM: &str = "src/builtin/command_guard/prefilter.rs";

/// Lists of programs and names, which the code includes where their types are.
const LISTS: [&str; 9] = [
    "src/syntax/shell/libraries.toml",
    "src/syntax/shell/programs.toml",
    "src/builtin/protect/programs.toml",
    "src/client/event/events.toml",
    "src/client/host/names.toml",
    "src/client/host/files.toml",
    "src/client/host/table.toml",
    "src/client/names.toml",
    "src/builtin/command_guard/made.toml",
];

const FNV_OFFSET: u64 = 0xcbf2_9ce4_8422_2325;
const FNV_PRIME: u64 = 0x0100_0000_01b3;

#[expect(clippy::disallowed_methods, reason = "cargo names the directory in the environment")]
fn main() -> io::Result<()> {
    // Not `env!`: another checkout may share the target directory and so this program.
    let root = std::env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default();
    let folder = Path::new(&root).join("templates/hooks");
    let mut files: Vec<_> = fs::read_dir(&folder)?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<io::Result<_>>()?;
    files.retain(|path| path.extension().is_some_and(|extension| extension == "toml"));
    files.sort();

    let mut names = "static NAMES: &[&str] = &[".to_owned();
    let mut list = "static TEXTS: &[(&str, &str, &str)] = &[\n".to_owned();
    let mut hash = FNV_OFFSET;
    for path in &files {
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let text = fs::read_to_string(path)?;
        let mut file = parsed(path)?;
        if let Some(like) = file.remove("like") {
            lay_over(&mut file, &like, &folder)?;
        }
        // FNV-1a: what was compiled from another catalogue is to be noticed, not to be defended.
        for byte in name.bytes().chain(text.bytes()) {
            hash = (hash ^ u64::from(byte)).wrapping_mul(FNV_PRIME);
        }
        write!(names, "{name:?}, ").map_err(io::Error::other)?;
        let options = file.remove("options").unwrap_or(Value::Object(Map::new())).to_string();
        let json = Value::Object(file).to_string();
        writeln!(list, "    ({name:?}, {json:?}, {options:?}),").map_err(io::Error::other)?;
    }
    for byte in fs::read(Path::new(&root).join(FORM))? {
        hash = (hash ^ u64::from(byte)).wrapping_mul(FNV_PRIME);
    }
    list.push_str("];\n\n");
    list.extend([&names, "];\n\n"]);
    writeln!(
        list,
        "/// The version, and a number that changes whenever the catalogue does: what was compiled from\n\
         /// another catalogue is compiled anew.\n\
         pub const BUILD: &str = \"{}+{hash:x}\";",
        env!("CARGO_PKG_VERSION")
    )
    .map_err(io::Error::other)?;

    let out = std::env::var_os("OUT_DIR").unwrap_or_default();
    fs::write(Path::new(&out).join("catalogue.rs"), list)?;
    for file in LISTS {
        write_lists(&Path::new(&root).join(file), Path::new(&out))?;
    }
    let address = address();
    println!("cargo::rustc-env=HOOKMAN_ADDRESS={address}");
    let launcher = fs::read_to_string(Path::new(&root).join(LAUNCHER))?;
    let place = if address.is_empty() { address } else { format!(": {address}#install") };
    fs::write(Path::new(&out).join("launcher.sh"), launcher.replace("@PLACE@", &place))?;
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed={}", folder.display());
    for file in [LAUNCHER, FORM].iter().chain(&LISTS) {
        println!("cargo::rerun-if-changed={}", Path::new(&root).join(file).display());
    }
    Ok(())
}

/// Writes each list of a file to one that is called as it: words, pairs of words, or the rows of a type of
/// that name.
fn write_lists(file: &Path, out: &Path) -> io::Result<()> {
    let lists = parsed(file)?;
    for (name, list) in &lists {
        let text = match list.as_str() {
            Some(words) if words.contains('=') => {
                let pairs = words.split_whitespace().filter_map(|pair| pair.split_once('='));
                format!("{:?}", pairs.collect::<Vec<_>>())
            }
            Some(words) => format!("{:?}", words.split_whitespace().collect::<Vec<_>>()),
            None => {
                let rows = list["rows"].as_array().into_iter().flatten();
                let rows: Vec<String> =
                    rows.flat_map(|row| of_row(name, row, &list["usual"], &lists)).collect();
                format!("[{}]", rows.join(", "))
            }
        };
        fs::write(out.join(format!("{name}.rs")), format!("&{text}"))?;
    }
    Ok(())
}

/// A row for each of its names, with what is usual where it says nothing. A text with `::` is a path of
/// Rust, and one that is the name of a list means the list's text; a list in a list is a tuple.
fn of_row(kind: &str, row: &Value, usual: &Value, lists: &Map<String, Value>) -> Vec<String> {
    let mut fields = usual.as_object().cloned().unwrap_or_default();
    fields.extend(row.as_object().cloned().unwrap_or_default());
    let names = match fields.remove("names") {
        Some(Value::String(words)) => words.split_whitespace().map(Value::from).collect(),
        names => names.unwrap_or_default(),
    };
    let value = |value: &Value| match value {
        Value::String(text) => {
            let text = lists.get(text).and_then(Value::as_str).unwrap_or(text);
            of_text(&text.split_whitespace().collect::<Vec<_>>().join(" "))
        }
        Value::Array(items) => format!("&[{}]", of_items(items)),
        other => other.to_string(),
    };
    // What is usually nothing is something where a row has it.
    let field = |(key, it): (&String, &Value)| {
        let is_given = usual[key] == "Option::None" && it != "Option::None";
        if is_given {
            format!("{key}: Some({})", value(it))
        } else {
            format!("{key}: {}", value(it))
        }
    };
    let fields: Vec<String> = fields.iter().map(field).collect();
    let fields = fields.join(", ");
    let Some(names) = names.as_array() else { return vec![format!("{kind} {{ {fields} }}")] };
    names.iter().map(|name| format!("{kind} {{ name: {name}, {fields} }}")).collect()
}

/// What is said in Rust, such as `Kind::Name`, as it is, and any other text quoted.
fn of_text(text: &str) -> String {
    let is_cut = text.starts_with("::") || text.ends_with("::");
    if text.contains("::") && !is_cut { text.to_owned() } else { format!("{text:?}") }
}

fn of_items(items: &[Value]) -> String {
    let item = |item: &Value| match item {
        Value::String(text) => of_text(text),
        Value::Array(items) => format!("({})", of_items(items)),
        other => other.to_string(),
    };
    items.iter().map(item).collect::<Vec<_>>().join(", ")
}

/// The address of the repository; empty while `Cargo.toml` has a placeholder for it, which no user sees.
#[expect(clippy::disallowed_methods, reason = "cargo names it in the environment")]
fn address() -> String {
    let address = std::env::var("CARGO_PKG_REPOSITORY").unwrap_or_default();
    if address.contains("/OWNER/") { String::new() } else { address }
}

fn parsed(path: &Path) -> io::Result<Map<String, Value>> {
    let text = fs::read_to_string(path)?;
    toml::from_str(&text).map_err(|error| io::Error::other(format!("{}: {error}", path.display())))
}

/// Gives a hook the options of another, of whose rules it takes some `categories`; those that are `on` have
/// no level of their own. The options that the hook has itself win.
fn lay_over(file: &mut Map<String, Value>, like: &Value, folder: &Path) -> io::Result<()> {
    let texts = |key: &str| like[key].as_array().cloned().unwrap_or_default();
    let (categories, on) = (texts("categories"), texts("on"));
    let Some(other) = like["hook"].as_str().filter(|_| !categories.is_empty()) else {
        return Err(io::Error::other("`like` names no hook, or none of its categories"));
    };
    let mut other = parsed(&folder.join(format!("{other}.toml")))?;
    let Some(Value::Object(mut options)) = other.remove("options") else {
        return Err(io::Error::other("`like` names a hook without options"));
    };
    if let Some(rules) = options.get_mut("rules").and_then(Value::as_array_mut) {
        rules.retain(|rule| categories.contains(&rule["category"]));
        for rule in rules.iter_mut().filter(|rule| on.contains(&rule["id"])) {
            rule.as_object_mut().map(|rule| rule.remove("level"));
        }
    }
    if let Some(Value::Object(own)) = file.remove("options") {
        options.extend(own);
    }
    file.insert("options".to_owned(), options.into());
    Ok(())
}
