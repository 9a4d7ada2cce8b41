//! Built-in hooks: kinds as code, the catalogue as data.
