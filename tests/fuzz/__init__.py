"""Coverage-guided fuzzing of the pure engine, held against the Rust one (see rust/fuzz for the core alone)."""
