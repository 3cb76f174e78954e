//! `tokenweir-bindgen MODULE.wasm FOLDER`: writes the module and its JavaScript for bundlers, which leave
//! the starting of the module to the caller.

use std::path::Path;

use wasm_bindgen_cli_support::Bindgen;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [module, folder] = arguments.as_slice() else {
        return Err("usage: tokenweir-bindgen MODULE.wasm FOLDER".into());
    };
    Bindgen::new()
        .input_path(module)
        .bundler(true)?
        .typescript(false)
        .out_name("engine")
        .remove_name_section(true)
        .remove_producers_section(true)
        .generate(Path::new(folder))?;
    Ok(())
}
