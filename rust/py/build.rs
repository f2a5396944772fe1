//! Tells the extension how it was optimised, so that a debug build can say so; and which interpreter it is for.

fn main() {
    pyo3_build_config::use_pyo3_cfgs();
    let level = std::env::var("OPT_LEVEL").unwrap_or_default();
    let build = match level.as_str() {
        "3" => "release",
        "0" | "1" => "debug",
        _ => "checked",
    };
    println!("cargo:rustc-env=LASTSAID_BUILD={build}");
}
