//! Enumerations of which each variant has one word.

macro_rules! named {
    ($(#[$meta:meta])* pub enum $name:ident {
        $($(#[$of_variant:meta])* $variant:ident = $word:literal),* $(,)?
    }) => {
        $(#[$meta])*
        pub enum $name { $($(#[$of_variant])* $variant),* }

        impl $name {
            pub const ALL: &[Self] = &[$(Self::$variant),*];

            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $word),* }
            }

            pub fn from_name(name: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|it| it.name() == name)
            }
        }
    };
}

pub(crate) use named;
