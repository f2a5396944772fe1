//! What records mean, one file a format. A format recognises and never selects.

pub mod dsh;
