//! A session that writes an old copy of the settings back in place, piece by piece.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::inotify;

use super::home::{Home, SETTINGS};
use super::sessions::{Client, WATCHING};

/// Waits until the file was opened, read and closed so many times.
fn await_readers(file: &Path, times: usize) {
    let watch = inotify::init(inotify::CreateFlags::CLOEXEC).unwrap();
    inotify::add_watch(&watch, file, inotify::WatchFlags::CLOSE_NOWRITE).unwrap();
    let patience = Timespec::try_from(Duration::from_secs(20)).unwrap();
    let mut seen = 0;
    let mut room = [std::mem::MaybeUninit::uninit(); 1024];
    while seen < times {
        let mut polled = [PollFd::new(&watch, PollFlags::IN)];
        assert_eq!(poll(&mut polled, Some(&patience)).unwrap(), 1, "nobody looks at the file");
        let mut events = inotify::Reader::new(&watch, &mut room);
        events.next().unwrap();
        seen += 1;
        while !events.is_buffer_empty() {
            events.next().unwrap();
            seen += 1;
        }
    }
}

#[test]
fn a_copy_that_is_written_piece_by_piece_is_waited_for() {
    // More than hookman reads the file in two looks.
    const LOOKS: usize = 9;
    let home = Home::new();
    let _client = Client::start(&home, 0);
    let mut install = home.command("hookman");
    let mut install = install.args(["install", "--yes"]).stdout(Stdio::piped()).spawn().unwrap();
    let mut said = BufReader::new(install.stdout.take().unwrap());
    let mut line = String::new();
    while !line.contains(WATCHING) {
        line.clear();
        assert!(said.read_line(&mut line).unwrap() > 0, "hookman is not watching");
    }
    let path = home.path(".claude/settings.json");
    // This empties the file, as a client does that does not rename.
    let mut file = fs::File::create(&path).unwrap();
    await_readers(&path, LOOKS);
    for piece in [&SETTINGS[..20], &SETTINGS[20..40], &SETTINGS[40..]] {
        file.write_all(piece.as_bytes()).unwrap();
        if piece.len() == 20 {
            await_readers(&path, LOOKS);
        }
    }
    drop(file);
    let mut rest = String::new();
    said.read_to_string(&mut rest).unwrap();
    assert!(install.wait().unwrap().success(), "{rest}");
    assert!(rest.contains("An old copy of ~/.claude/settings.json came back"), "{rest}");
    home.does("verify");
    home.does("uninstall --yes");
    assert_eq!(home.settings().as_deref(), Some(SETTINGS));
}
