//! What a file is beside its text.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};

use rustix::fs::{Gid, Uid, XattrFlags, chown, getxattr, setxattr};

use super::home::{FOREIGN, Home, SETTINGS};

#[test]
fn mode_owner_and_attributes_stay() {
    let home = Home::new();
    let path = home.path(".claude/settings.json");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
    let marked = setxattr(&path, "user.note", b"mine", XattrFlags::empty()).is_ok();
    // An access control list that lets user 1 read, as the kernel stores it.
    let list = [
        2, 0, 0, 0, 1, 0, 6, 0, 255, 255, 255, 255, 2, 0, 4, 0, 1, 0, 0, 0, 4, 0, 4, 0, 255, 255,
        255, 255, 16, 0, 4, 0, 255, 255, 255, 255, 32, 0, 0, 0, 255, 255, 255, 255,
    ];
    let name = "system.posix_acl_access";
    let listed = setxattr(&path, name, &list, XattrFlags::empty()).is_ok();
    // Only root can give a file away.
    let given = chown(&path, Some(Uid::from_raw(12)), Some(Gid::from_raw(34))).is_ok();
    let before = fs::metadata(&path).unwrap();
    home.does("install --yes");
    let after = fs::metadata(&path).unwrap();
    assert_ne!(before.ino(), after.ino(), "it was not replaced");
    assert_eq!(before.mode(), after.mode());
    assert_eq!((before.uid(), before.gid()), (after.uid(), after.gid()));
    let mut value = [0_u8; 100];
    if marked {
        assert_eq!(getxattr(&path, "user.note", value.as_mut_slice()).unwrap(), 4);
        assert_eq!(&value[..4], b"mine");
    }
    if listed {
        let length = getxattr(&path, name, value.as_mut_slice()).unwrap();
        assert_eq!(value[..length], list);
    }
    eprintln!("attribute {marked}, access control list {listed}, owner {given}");
}

#[test]
fn a_new_file_has_the_mode_that_the_umask_leaves() {
    for (umask, mode) in [("022", 0o644), ("077", 0o600), ("002", 0o664)] {
        let home = Home::new();
        fs::remove_file(home.path(".claude/settings.json")).unwrap();
        let line =
            format!("umask {umask}; hookman install --yes; hookman install --yes --project p");
        fs::create_dir(home.path("p")).unwrap();
        let output = home.command("sh").args(["-c", &line]).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let found = |path: &str| fs::metadata(home.path(path)).unwrap().mode() & 0o777;
        assert_eq!(found(".claude/settings.json"), mode, "umask {umask}");
        assert_eq!(found("p/.claude/hookman"), mode | (mode & 0o444) >> 2, "umask {umask}");
        for path in home.files().into_keys().filter(|path| path.starts_with(home.path("state"))) {
            assert_eq!(fs::metadata(&path).unwrap().mode() & 0o077, 0, "{}", path.display());
        }
    }
}

#[test]
fn a_chain_of_links_leads_to_the_file_that_is_replaced() {
    let home = Home::new();
    let settings = home.path(".claude/settings.json");
    fs::create_dir(home.path("dotfiles")).unwrap();
    fs::rename(&settings, home.path("dotfiles/settings.json")).unwrap();
    symlink("settings.json", home.path("dotfiles/link")).unwrap();
    symlink("../dotfiles/link", &settings).unwrap();
    home.does("install --yes");
    assert_eq!(fs::read_link(&settings).unwrap().to_str(), Some("../dotfiles/link"));
    assert!(fs::read_to_string(home.path("dotfiles/settings.json")).unwrap().contains("\"run\""));
    home.does("uninstall --yes");
    assert_eq!(home.settings().as_deref(), Some(SETTINGS));
    assert!(fs::symlink_metadata(&settings).unwrap().is_symlink());
}

#[test]
fn a_file_system_without_room_or_rights_is_left_as_it_is() {
    let home = Home::new();
    let script = "set -e\n\
         mount -t tmpfs -o size=$1 none full && cp -r .claude full/ && mkdir full/state\n\
         [ \"$2\" = full ] && { dd if=/dev/zero of=full/ballast bs=4k 2> /dev/null || true; }\n\
         [ \"$2\" = ro ] && mount -o remount,ro full\n\
         export HOME=$PWD/full HOOKMAN_STATE_DIR=$PWD/state\n\
         set +e; hookman install --yes; code=$?\n\
         cmp .claude/settings.json full/.claude/settings.json || exit 99\n\
         ls -A full/.claude | grep -v -e settings.json -e hookman.toml && exit 98\n\
         exit $code\n";
    fs::create_dir(home.path("full")).unwrap();
    for (kind, message) in [
        ("full", "No space left on device (os error 28); free some space, then run it again"),
        ("ro", "Read-only file system (os error 30); it is mounted read-only"),
    ] {
        let run = ["-rm", "sh", "-c", script, "sh", "64k", kind];
        let output = home.command("unshare").args(run).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        if said.contains("unshare") || said.contains("mount:") {
            eprintln!("SKIPPED: no file system can be mounted here: {said}");
            return;
        }
        assert_eq!(output.status.code(), Some(2), "{kind}: {said}");
        assert!(said.trim_end().ends_with(message), "{kind}: {said}");
    }
}

#[test]
fn a_link_into_a_folder_that_is_read_only_stops_a_command_before_it_writes_anything() {
    let script = "set -e\n\
         mkdir $1/dotfiles && mount -t tmpfs none $1/dotfiles\n\
         mv $1/.claude/settings.json $1/dotfiles/ && ln -s ../dotfiles/settings.json $1/.claude/\n\
         [ -z \"$2\" ] || hookman $2 > /dev/null\n\
         mount -o remount,ro $1/dotfiles && cp -rP $1/.claude before\n\
         set +e; hookman $3; code=$?\n\
         diff -r --no-dereference before $1/.claude || exit 99\n\
         exit $code\n";
    let adopted = "adopt --all --yes";
    for (folder, before, command) in [
        (".", "", adopted),
        (".", adopted, "release --all --yes"),
        (".", adopted, "uninstall --yes"),
        (".", "", "apply --yes"),
        (".", "", "install one-strike --yes"),
        ("p", "", "adopt --all --yes --project p"),
        ("p", "", "adopt --all --yes --local --project p"),
        ("p", "adopt --all --yes --project p", "release --all --yes --project p"),
        ("p", "adopt --all --yes --project p", "uninstall --yes --project p"),
        ("p", "", "install one-strike --yes --project p"),
    ] {
        let home = Home::foreign();
        fs::create_dir_all(home.path("p/.git")).unwrap();
        for name in ["settings.json", "settings.local.json"] {
            home.write(&format!("p/.claude/{name}"), FOREIGN);
        }
        let folder = if folder == "." { ".claude/.." } else { folder };
        let file =
            if command.contains("--local") { "settings.local.json" } else { "settings.json" };
        let script = script.replace("settings.json", file);
        let run = ["-rm", "sh", "-c", &script, "sh", folder, before, command];
        let output = home.command("unshare").args(run).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        if said.contains("unshare") || said.contains("mount:") {
            eprintln!("SKIPPED: no file system can be mounted here: {said}");
            return;
        }
        let shown = String::from_utf8_lossy(&output.stdout);
        assert_eq!(output.status.code(), Some(2), "{command}: {said} {shown}");
        assert!(said.contains("it is mounted read-only"), "{command}: {said}");
    }
}
