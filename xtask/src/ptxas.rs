//! `cargo xtask ptxas`: assembles the PTX for every supported GPU. No GPU is needed.

use crate::modules::{MODULES, Module};
use crate::shell::{Outcome, output, read, run, scratch};
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::Command;

/// The GPUs that the PTX is assembled for.
const GPUS: [&str; 5] = ["sm_75", "sm_80", "sm_90", "sm_100", "sm_120"];

/// The package that contains the assembler, which is fetched if none is installed.
const PACKAGE: &str = "nvidia-cuda-nvcc==13.0.88";

/// Registers per kernel, one number per GPU.
type Registers = BTreeMap<String, BTreeMap<&'static str, u32>>;

/// Assembles all modules; fails on local memory, calls and faults.
pub(crate) fn run_all() -> Outcome<()> {
    let ptxas = find()?;
    let mut faults = Vec::new();
    for module in &MODULES {
        let text = read(&module.path())
            .map_err(|e| format!("{e}\nBuild it first: cargo xtask ptx {}", module.name))?;
        faults.extend(inspect(&module.file_name(), &text));
        let gpus: Vec<&'static str> =
            GPUS.into_iter().filter(|gpu| number(gpu) >= number(module.target)).collect();
        let reports: Vec<_> = gpus.par_iter().map(|gpu| assemble(&ptxas, module, gpu)).collect();
        let mut registers = Registers::new();
        for (gpu, report) in gpus.into_iter().zip(reports) {
            faults.extend(judge(&format!("{} on {gpu}", module.file_name()), gpu, &report?, &mut registers));
        }
        print_table(module, &registers);
    }
    if faults.is_empty() { Ok(()) } else { Err(faults.join("\n")) }
}

/// The faults that the text itself shows: calls, reachable traps, and instructions that the assembler
/// miscompiles.
pub(crate) fn inspect(name: &str, text: &str) -> Vec<String> {
    let mut faults = Vec::new();
    let mut function = "";
    for line in text.lines() {
        if line.starts_with('.') {
            function = line;
        }
        let code = line.trim_start();
        if code.starts_with("call") || code.contains(".extern .func") {
            faults.push(format!("{name}: a call was not inlined: {code}"));
        }
        // The panic handler itself stays in the module; without a call it cannot be reached.
        if code.starts_with("trap") && function.contains(".entry") {
            faults.push(format!("{name}: a trap can be reached in {function}"));
        }
        // ptxas 13.0 fuses it with a comparison of its result into one packed instruction whose two
        // predicates share a register: a wrong answer, seen on sm_90.
        if ["max.u16", "max.s16", "min.u16", "min.s16"].iter().any(|m| code.starts_with(m)) {
            faults.push(format!("{name}: ptxas 13.0 miscompiles {code} in {function}"));
        }
        if code.starts_with(".local") {
            faults.push(format!("{name}: local memory in {function}"));
        }
    }
    faults
}

/// Reads the assembler's report, records registers, and returns the faults.
fn judge(name: &str, gpu: &'static str, report: &str, registers: &mut Registers) -> Vec<String> {
    let mut faults = Vec::new();
    let mut kernel = String::new();
    for line in report.lines() {
        if let Some((_, rest)) = line.split_once("Compiling entry function '") {
            kernel = rest.split('\'').next().unwrap_or_default().to_owned();
        } else if line.contains("bytes stack frame") && !kernel.is_empty() {
            if line.split(',').any(|part| !part.trim().starts_with("0 bytes")) {
                faults.push(format!("{name}: {kernel} uses local memory: {}", line.trim()));
            }
        } else if let Some((_, rest)) = line.split_once("Used ")
            && let Some(count) = rest.split(' ').next().and_then(|word| word.parse().ok())
        {
            registers.entry(std::mem::take(&mut kernel)).or_default().insert(gpu, count);
        }
    }
    if registers.values().all(|counts| !counts.contains_key(gpu)) {
        faults.push(format!("{name}: the assembler reported no kernel"));
    }
    faults
}

fn assemble(ptxas: &PathBuf, module: &Module, gpu: &str) -> Outcome<String> {
    let mut command = Command::new(ptxas);
    command.args(["--verbose", "--gpu-name", gpu, "--output-file", "/dev/null"]).arg(module.path());
    output(&mut command)
}

fn number(gpu: &str) -> u32 {
    gpu.trim_start_matches("sm_").parse().unwrap_or(0)
}

fn print_table(module: &Module, registers: &Registers) {
    println!("\n{}: registers", module.file_name());
    println!("  {:<40}{}", "", GPUS.map(|gpu| format!("{gpu:>8}")).concat());
    for (kernel, counts) in registers {
        let cells =
            GPUS.map(|gpu| counts.get(gpu).map_or(format!("{:>8}", "-"), |count| format!("{count:>8}")));
        println!("  {kernel:<40}{}", cells.concat());
    }
}

/// The assembler: the one in PATH, or the one of the Python package, which is fetched into the target folder.
fn find() -> Outcome<PathBuf> {
    if output(Command::new("ptxas").arg("--version")).is_ok() {
        return Ok(PathBuf::from("ptxas"));
    }
    let folder = scratch().join("ptxas");
    let ptxas = folder.join("nvidia/cu13/bin/ptxas");
    if !ptxas.exists() {
        println!("no ptxas in PATH: fetching the Python package {PACKAGE}");
        let mut pip = Command::new("python3");
        pip.args(["-m", "pip", "install", "--quiet", "--no-deps", "--target"]).arg(&folder).arg(PACKAGE);
        run(&mut pip).map_err(|e| {
            format!("{e}\nptxas is in the CUDA toolkit and in the Python package {PACKAGE}: put one in PATH")
        })?;
    }
    if ptxas.exists() {
        Ok(ptxas)
    } else {
        Err(format!("the package {PACKAGE} does not contain {}", ptxas.display()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checked_in_ptx_has_no_call_and_no_fault() {
        for module in MODULES.iter().filter(|module| module.shipped) {
            assert_eq!(inspect(&module.file_name(), &read(&module.path()).unwrap()), Vec::<String>::new());
        }
    }

    #[test]
    fn calls_faults_and_local_memory_are_found() {
        let text = ".visible .entry k(\n)\n{\n\tmax.u16 %rs1, %rs2, 1;\n\ttrap;\n\tcall.uni f;\n\t.local .b8 x[4];\n}\n.func p()\n{\n\ttrap;\n}\n";
        assert_eq!(inspect("m", text).len(), 4);
    }

    #[test]
    fn the_assemblers_report_is_read() {
        let entry = "ptxas info    : Compiling entry function 'k' for 'sm_90'\n";
        let used = "ptxas info    : Used 24 registers, used 0 barriers\n";
        let clean =
            format!("{entry}    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n{used}");
        let mut registers = Registers::new();
        assert_eq!(judge("m", "sm_90", &clean, &mut registers), Vec::<String>::new());
        assert_eq!(registers["k"]["sm_90"], 24);
        let spilt =
            format!("{entry}    8 bytes stack frame, 4 bytes spill stores, 4 bytes spill loads\n{used}");
        assert_eq!(judge("m", "sm_90", &spilt, &mut registers).len(), 1);
        assert_eq!(judge("m", "sm_90", "", &mut Registers::new()).len(), 1);
    }
}
