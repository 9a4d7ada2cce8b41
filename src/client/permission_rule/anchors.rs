//! Beginnings of relative paths.

/// The directories in which relative paths and patterns begin; all are absolute paths with `/`.
#[derive(Clone, Copy, Debug, Default)]
pub struct Anchors<'a> {
    pub cwd: &'a str,
    /// The directory that the session was started in.
    pub project: &'a str,
    pub home: &'a str,
}
