//! On macOS a linker has to be asked to leave the symbols of the interpreter open.

fn main() {
    pyo3_build_config::add_extension_module_link_args();
}
