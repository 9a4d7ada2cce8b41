//! The effects that a run may have besides its answer.

/// The effects that a run may have besides its answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Effects {
    /// All: commands run, files are written, notices are given.
    #[default]
    Real,
    /// None: built-in hooks decide on what they read, and whatever starts a program is left out.
    Held,
}
