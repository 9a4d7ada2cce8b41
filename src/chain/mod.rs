//! From payload, manifest and switches to steps, and from outcomes to a verdict.
