//! The linker of the release build on Linux: it links, watches the program run, and links again so
//! that what a run touches lies together.
//!
//! `hookman run` starts at every tool call, and most of what that costs is that the kernel maps in
//! the pages it touches. As the compiler orders a program these lie all over the file; as this
//! orders it they are few and follow each other.
//!
//! Nothing is named by hand: what moves was seen in this very build, so neither a new compiler nor
//! a function that has another name changes anything. Where a step fails, the program is linked as
//! it would be without, and the file `note` beside this linker says why.
//!
//! `scripts/build` compiles this with nothing but the compiler and names it to cargo.

mod image;
mod map;
mod process;
mod runs;
mod script;
mod trace;

use std::error::Error;
use std::ffi::OsString;
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};
use std::{env, fs};

use map::Map;

fn main() -> Result<ExitCode, Box<dyn Error>> {
    let arguments: Vec<OsString> = env::args_os().skip(1).collect();
    let why = match in_order(&arguments) {
        Ok(()) => String::new(),
        Err(error) => {
            let linked =
                linker(&arguments, &[]).status().map_err(|error| format!("cc: {error}"))?;
            if !linked.success() {
                return Ok(ExitCode::FAILURE);
            }
            format!("the program is not in the order in which a run touches it: {error}\n")
        }
    };
    if let Ok(linker) = env::current_exe() {
        // Without a note nobody learns why a start takes longer; the program is as good.
        let _ = fs::write(linker.with_file_name("note"), why);
    }
    Ok(ExitCode::SUCCESS)
}

fn in_order(arguments: &[OsString]) -> Result<(), Box<dyn Error>> {
    let at = arguments.iter().position(|argument| argument == "-o");
    let output = at.and_then(|at| arguments.get(at + 1)).map(Path::new);
    let output = output.ok_or("the compiler names no output")?;
    let work = output.with_extension("layout");
    let _ = fs::remove_dir_all(&work);
    fs::create_dir_all(&work)?;
    let arguments: Vec<OsString> =
        arguments.iter().map(|argument| without_tables(argument, &work)).collect();
    let done = link_twice(&arguments, output, &work);
    let _ = fs::remove_dir_all(&work);
    done
}

fn link_twice(arguments: &[OsString], output: &Path, work: &Path) -> Result<(), Box<dyn Error>> {
    let (plain, map, script) = (work.join("plain"), work.join("map"), work.join("script"));
    let as_plain = |argument: &OsString| {
        if argument == output { plain.clone().into() } else { argument.clone() }
    };
    let to_plain: Vec<OsString> = arguments.iter().map(as_plain).collect();
    link(&to_plain, &option("-Wl,-Map=", &map)).map_err(|error| format!("no map: {error}"))?;
    let map = Map::parse(&fs::read_to_string(&map)?)?;
    let homes = work.join("homes");
    let answers = runs::answers(&plain, &homes)?;
    let touched = runs::watch(&plain, &homes, &map)?;
    fs::write(&script, script::write(&map, &touched))?;
    link(arguments, &option("-Wl,-T,", &script)).map_err(|error| format!("no order: {error}"))?;
    if runs::answers(output, &homes)? != answers {
        return Err("the program answers differently when it is".into());
    }
    Ok(())
}

/// An object of the compiler without its tables for unwinding: a panic ends the program at once, so
/// nothing reads them, and the compiler writes them even where it is told not to. Any other argument
/// stays as it is.
fn without_tables(argument: &OsString, work: &Path) -> OsString {
    let object = Path::new(argument);
    let Some(name) = object.file_name().filter(|_| object.extension() == Some("o".as_ref())) else {
        return argument.clone();
    };
    let smaller = work.join(name);
    let sections = [".eh_frame", ".rela.eh_frame", ".gcc_except_table*", ".rela.gcc_except_table*"];
    let removed = Command::new("objcopy")
        .arg("--wildcard")
        .args(sections.map(|section| format!("--remove-section={section}")))
        .args([object, &smaller])
        .output();
    match removed {
        Ok(output) if output.status.success() => smaller.into(),
        _ => argument.clone(),
    }
}

fn option(name: &str, path: &Path) -> OsString {
    let mut option = OsString::from(name);
    option.push(path);
    option
}

/// Links with one more option.
fn link(arguments: &[OsString], option: &OsString) -> Result<(), Box<dyn Error>> {
    let output = linker(arguments, std::slice::from_ref(option)).stdin(Stdio::null()).output()?;
    if output.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    Err(said.lines().next().unwrap_or("the linker fails").into())
}

/// The linker that the compiler would call.
fn linker(arguments: &[OsString], more: &[OsString]) -> Command {
    let mut linker = Command::new("cc");
    linker.args(arguments).args(more);
    linker
}
