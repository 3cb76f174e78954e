//! How to do things: one page for each, with an example that runs.

macro_rules! pages {
    ($($name:ident)+) => {
        $(
            #[doc = include_str!(concat!("../docs/guide/", stringify!($name), ".md"))]
            pub mod $name {}
        )+
    };
}

pages! {
    limits
    decisions
    subjects
    keys
    stored
    http
    backoff
    events
    waiting
}
