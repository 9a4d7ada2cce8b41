//! The client's `settings.json`, edited as text.
