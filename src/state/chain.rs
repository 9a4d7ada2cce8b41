//! A chain: where its manifests are, its settings and its plan.

use std::path::{Path, PathBuf};

use crate::machine::{Paths, files};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chain {
    /// `managed`, `user` or `project`, for journals and reports.
    pub scope: &'static str,
    pub manifest: PathBuf,
    /// The overlay that is not in git, for projects.
    pub overlay: Option<PathBuf>,
}

impl Chain {
    pub fn of_user(paths: &Paths) -> Self {
        Self { scope: "user", manifest: paths.user_manifest(), overlay: None }
    }

    /// The chain of an administrator whose manifest is in `folder`.
    pub fn of_managed(folder: &Path) -> Self {
        Self { scope: MANAGED, manifest: folder.join("hookman.toml"), overlay: None }
    }

    /// Returns whether it is an administrator's, which nobody else may switch.
    pub fn is_managed(&self) -> bool {
        self.scope == MANAGED
    }

    /// The argument that has a command work on it, behind a blank; nothing for the user's.
    pub fn flag(&self) -> &'static str {
        match self.scope {
            "project" => " --project",
            MANAGED => " --managed",
            _ => "",
        }
    }

    /// The argument with which `apply` registers what this chain lacks: `--local` with an overlay alone.
    pub fn apply_flag(&self) -> &'static str {
        let is_local = self.overlay.is_some() && !files::is_there(&self.manifest);
        if is_local { " --local" } else { self.flag() }
    }

    /// The settings file of an administrator's chain, apart from the one that other tools replace.
    pub fn managed_settings(folder: &Path) -> PathBuf {
        folder.join("managed-settings.d/hookman.json")
    }

    pub fn of_project(directory: &Path) -> Self {
        // Its plan names files by whole paths, which must hold in every directory.
        let whole = std::path::absolute(directory);
        let folder = whole.as_deref().unwrap_or(directory).join(".claude");
        Self {
            scope: "project",
            manifest: folder.join("hookman.toml"),
            overlay: Some(folder.join("hookman.local.toml")),
        }
    }

    pub fn next_to(settings: &Path, scope: &'static str) -> Self {
        Self {
            scope,
            manifest: settings.with_file_name("hookman.toml"),
            overlay: Some(settings.with_file_name("hookman.local.toml")),
        }
    }

    pub fn project(&self) -> Option<&Path> {
        self.overlay.as_ref().and_then(|overlay| overlay.parent()?.parent())
    }

    /// The manifest and, where there can be one, its overlay.
    pub fn files(&self) -> impl Iterator<Item = &Path> {
        [Some(self.manifest.as_path()), self.overlay.as_deref()].into_iter().flatten()
    }

    /// The client's settings that may hold the chain's entries.
    pub fn settings(&self) -> Vec<PathBuf> {
        if let (true, Some(folder)) = (self.is_managed(), self.manifest.parent()) {
            return vec![Self::managed_settings(folder)];
        }
        let names: &[&str] = match self.overlay {
            Some(_) => &["settings.json", "settings.local.json"],
            None => &["settings.json"],
        };
        names.iter().map(|name| self.manifest.with_file_name(name)).collect()
    }

    /// The file of its plan; an administrator's is not in a user's state directory.
    pub fn plan_file(&self, paths: &Paths) -> PathBuf {
        if self.is_managed() {
            return self.manifest.with_file_name("hookman.plan");
        }
        paths.cache_for("plans", &self.manifest)
    }
}

/// The scope of an administrator's chain.
pub const MANAGED: &str = "managed";
