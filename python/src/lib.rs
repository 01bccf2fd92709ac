//! The native module of the Python package: tables and operations on columns, for buffers and for addresses
//! of device memory.
//!
//! The package's Python code decides what an array is, checks its type and its device, and makes the outputs.
//! Here a number is its bits: keys and values are `u32` or `u64`. A call lets go of Python's lock while it
//! runs. Between the parts of a long call, signals are looked at: a `KeyboardInterrupt` ends it.

mod buffer;
mod column;
mod columns;
mod device;
mod failure;
mod gpu;
mod grouping;
mod interrupt;
mod make;
mod table;

use pyo3::prelude::*;

/// Tables and operations on columns, for bits in buffers and in device memory.
#[pymodule(gil_used = false)]
fn _native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<column::Column>()?;
    module.add_class::<table::Table>()?;
    module.add_class::<gpu::Gpu>()?;
    module.add_class::<device::DeviceCall>()?;
    module.add_class::<grouping::Grouping>()?;
    module.add_function(wrap_pyfunction!(columns::groups, module)?)?;
    module.add_function(wrap_pyfunction!(columns::fold, module)?)?;
    module.add_function(wrap_pyfunction!(columns::gather, module)?)?;
    module.add_function(wrap_pyfunction!(columns::isin, module)?)?;
    module.add_function(wrap_pyfunction!(columns::join, module)?)?;
    module.add_function(wrap_pyfunction!(gpu::count, module)?)?;
    module.add("__version__", env!("CARGO_PKG_VERSION"))
}
