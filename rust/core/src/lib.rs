//! What did the agent finally say? The selection rule of `docs/spec/selection.md`, without Python.
//!
//! One direction: a **source** shows a record as a read-only tree ([`node::Node`]), a **format**
//! ([`formats`]) recognises it, the **fold** ([`fold::Fold`]) selects, and the **scans**
//! ([`backward`], [`forward`]) decide in which direction a list or a log ([`log`]) is walked.
//!
//! ```
//! use lastsaid_core::log::reading::{Options, read};
//! use lastsaid_core::log::source::Memory;
//!
//! let log = br#"{"type":"assistant/message","seq":1,"data":{"message":{"id":"m","content":[{"type":"text","text":"Two bugs found."}]}}}
//! {"type":"assistant/message","seq":2,"data":{"message":{"content":[]},"stream":[]}}
//! "#;
//! let outcome = read(&mut Memory::new(log), &Options::default()).unwrap();
//! let said = outcome.fold.message().unwrap();
//! assert_eq!(&*said.content, br#"[{"type":"text","text":"Two bugs found."}]"#);
//! ```

pub mod backward;
pub mod checking;
pub mod error;
pub mod explanation;
pub mod feeding;
pub mod fold;
pub mod formats;
pub mod forward;
pub mod json;
pub mod log;
pub mod node;
pub mod outcome;
pub mod records;
pub mod sessions;
pub mod signal;
pub mod streamed;
pub mod suffix;
pub mod text;
pub mod walk;

/// The version of the rule: the same log gives the same output for as long as this number stands.
pub const RULE_VERSION: u32 = 1;
