//! The Python module `lastsaid._core`: conversion and nothing else. The rule is in `lastsaid-core`.

mod answers;
mod attached;
mod error;
mod events;
mod explained;
mod kept;
mod log;
mod many;
mod object;
mod opened;
mod options;
mod output_fold;
mod parsed;
mod pickled;
mod pulse;
mod records;
mod selection;
mod strings;
mod workers;

/// The Rust engine: the selection rule of docs/spec/selection.md at the machine's speed.
#[pyo3::pymodule]
mod _core {
    /// Which engine this is.
    #[pymodule_export]
    const ENGINE: &str = "rust";

    /// The version of the selection rule.
    #[pymodule_export]
    const RULE_VERSION: u32 = lastsaid_core::RULE_VERSION;

    /// How this build was optimised: `release`, `checked` (tests) or `debug`.
    #[pymodule_export]
    const BUILD: &str = env!("LASTSAID_BUILD");

    #[pymodule_export]
    use super::events::{final_assistant_output, select, suffix_start};
    #[pymodule_export]
    use super::log::{check, read, read_bytes, read_sessions};
    #[pymodule_export]
    use super::many::read_many;
    #[pymodule_export]
    use super::output_fold::AssistantOutputFold;
}
