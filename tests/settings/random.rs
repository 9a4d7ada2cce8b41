//! The settings engine against random values in random layouts.
