//! The option `--since`.

use anyhow::{Result, anyhow};

use crate::machine::clock;
use crate::session::request;

/// Gives the second since 1970 from which on a run is not older than `text`, such as `10m`.
pub(super) fn earliest(text: &str) -> Result<i64> {
    let seconds = request::seconds(text).and_then(|it| i64::try_from(it).ok());
    let seconds = seconds
        .ok_or_else(|| anyhow!("--since takes a time such as 90s, 10m or 1d, not `{text}`"))?;
    Ok(clock::unix_seconds() - seconds)
}
