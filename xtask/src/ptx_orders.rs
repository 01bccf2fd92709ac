//! Compares the checked-in PTX with the ordering table of the design: each access of the memory contract must
//! become the instruction given there, and the kernels of the tables must use no others.

use crate::modules::{MODULES, Module};
use crate::ptx_text::Kernel;
use crate::shell::read;
use std::collections::BTreeMap;

const ORDERS: [&str; 4] = ["relaxed", "acquire", "release", "acq_rel"];

fn text(module: &Module) -> String {
    read(&module.path()).unwrap()
}

/// The probes of one handle: their names, and the one instruction that each must be.
fn accesses(suffix: &str, place: &str, bits: u32, counts: bool) -> Vec<(String, String)> {
    let mut table = Vec::new();
    for order in &ORDERS[..2] {
        table.push((format!("load_{order}{suffix}"), format!("ld.{order}.{place}.b{bits}")));
    }
    for order in ["relaxed", "release"] {
        table.push((format!("store_{order}{suffix}"), format!("st.{order}.{place}.b{bits}")));
    }
    for order in ORDERS {
        table.push((format!("cas_{order}{suffix}"), format!("atom.{order}.{place}.cas.b{bits}")));
        table.push((format!("swap_{order}{suffix}"), format!("atom.{order}.{place}.exch.b{bits}")));
        if counts {
            table.push((format!("add_{order}{suffix}"), format!("atom.{order}.{place}.add.u{bits}")));
            table.push((format!("or_{order}{suffix}"), format!("atom.{order}.{place}.or.b{bits}")));
            table.push((format!("and_{order}{suffix}"), format!("atom.{order}.{place}.and.b{bits}")));
        }
    }
    table
}

/// Every probe of a module and the instructions that it must consist of, except for its input and output.
fn expected(wide: bool) -> BTreeMap<String, Vec<String>> {
    let mut probes = BTreeMap::new();
    let mut global =
        [accesses("_u32", "gpu.global", 32, true), accesses("_u64", "gpu.global", 64, true)].concat();
    if wide {
        global.extend(accesses("_u128", "gpu.global", 128, false));
    }
    for (name, instruction) in global {
        probes.insert(format!("probe_{name}"), vec![instruction]);
    }
    for (name, instruction) in accesses("", "cta.shared", 32, true) {
        // A block first clears its words, then waits.
        let clear = ["st.relaxed.cta.shared.b32", "bar.sync"].map(str::to_owned);
        probes.insert(format!("probe_shared_{name}"), [clear.to_vec(), vec![instruction]].concat());
    }
    let rows =
        [("u32_2", 1, "v2.b32"), ("u32_4", 1, "v4.b32"), ("u64_2", 1, "v2.b64"), ("u64_4", 2, "v2.b64")];
    for (name, loads, kind) in rows {
        for order in &ORDERS[..2] {
            let instruction = format!("ld.{order}.gpu.global.{kind}");
            probes.insert(format!("probe_row_{order}_{name}"), vec![instruction; loads]);
        }
    }
    let tile: [(&str, &[&str]); 9] = [
        // The tile of the probes has four lanes: two exchanges of bits gather a ballot.
        ("ballot", &["shfl.sync.idx.b32", "shfl.sync.idx.b32"]),
        ("shfl_u32", &["shfl.sync.idx.b32"]),
        ("shfl_u64", &["shfl.sync.idx.b32", "shfl.sync.idx.b32"]),
        ("shfl_bool", &["shfl.sync.idx.b32"]),
        ("elect", &["atom.relaxed.gpu.global.exch.b64", "shfl.sync.idx.b32", "shfl.sync.idx.b32"]),
        ("sync", &["bar.warp.sync"]),
        ("fence", &["bar.warp.sync", "fence.sc.gpu", "bar.warp.sync"]),
        ("fence_acquire", &["fence.acq_rel.gpu", "bar.warp.sync"]),
        ("pause", &["nanosleep.u32"]),
    ];
    for (name, instructions) in tile {
        probes.insert(format!("probe_{name}"), instructions.iter().map(|&i| i.to_owned()).collect());
    }
    probes
}

/// The effects of a kernel on memory and on other lanes, except for plain input and output.
fn effects(kernel: &Kernel<'_>) -> Vec<String> {
    let kinds = ["ld.", "st.", "atom.", "red.", "vote.", "shfl.", "bar", "fence.", "membar", "nanosleep"];
    kernel
        .instructions
        .iter()
        .filter(|i| kinds.iter().any(|k| i.mnemonic.starts_with(k)))
        .filter(|i| !i.mnemonic.starts_with("ld.param") && !i.is_plain())
        .map(|i| i.mnemonic.to_owned())
        .collect()
}

#[test]
fn each_access_is_the_instruction_of_the_ordering_table() {
    for module in MODULES.iter().filter(|m| m.name == "probes") {
        let text = text(module);
        let found: BTreeMap<String, Vec<String>> =
            Kernel::all(&text).iter().map(|k| (k.name.to_owned(), effects(k))).collect();
        let expected = expected(module.features.contains("b128"));
        for (name, instructions) in &expected {
            assert_eq!(found.get(name), Some(instructions), "{name} in {}", module.file_name());
        }
        assert_eq!(
            found.len(),
            expected.len(),
            "{} has a probe that the table does not list",
            module.file_name()
        );
    }
}

/// Whether an access of shared memory is one that the memory contract allows.
fn is_contracted(mnemonic: &str) -> bool {
    let mut parts = mnemonic.split('.');
    let (kind, order) = (parts.next(), parts.next());
    let place = (parts.next(), parts.next());
    let orders: &[&str] = match kind {
        Some("ld") => &ORDERS[..2],
        Some("st") => &["relaxed", "release"],
        Some("atom") => &ORDERS,
        _ => &[],
    };
    order.is_some_and(|order| orders.contains(&order))
        && (place == (Some("gpu"), Some("global")) || place == (Some("cta"), Some("shared")))
}

/// Whether an access is one of scratch words, which are handed over only at barriers, in a kernel that has
/// them.
fn is_staged(kernel: &str, mnemonic: &str) -> bool {
    let scratch = ["_scatter_l", "_scatter_again_l", "_fill_l"].iter().any(|step| kernel.contains(step));
    let accesses = ["ld.shared.", "st.shared."].iter().find_map(|access| mnemonic.strip_prefix(access));
    scratch && accesses.is_some_and(|width| ["b32", "b64", "v2.b64"].contains(&width))
}

#[test]
fn tables_are_accessed_by_contracted_instructions_only() {
    let lanes = [
        "vote.sync.ballot.b32",
        "shfl.sync.idx.b32",
        "bar.warp.sync",
        "bar.sync",
        "fence.sc.gpu",
        "fence.acq_rel.gpu",
    ];
    for module in &MODULES {
        let text = text(module);
        for kernel in Kernel::all(&text) {
            for effect in effects(&kernel) {
                let allowed = is_contracted(&effect)
                    || is_staged(kernel.name, &effect)
                    || lanes.contains(&effect.as_str())
                    || effect == "nanosleep.u32";
                assert!(allowed, "{} in {} of {}", effect, kernel.name, module.file_name());
            }
        }
    }
}

/// The parameters of a kernel that point to words of a table.
fn table_parameters(kernel: &str) -> &'static [usize] {
    match kernel {
        name if name.starts_with("slab_") && name.contains("64l_") => &[0, 1, 3],
        name if name.starts_with("slab_") => &[0, 2],
        name if name.starts_with("chain_") => &[0, 1, 3, 5],
        // Nodes, requests, heads, announcements, stashes, and the states of nodes.
        name if name.starts_with("waitfree_") => &[0, 2, 3, 5, 6, 8, 9],
        // These kernels do not access a table, but counters.
        "paged_tally" => &[5],
        name if name.starts_with("paged_count_") => &[7],
        name if name.starts_with("paged_scatter_set") => &[9],
        name if name.starts_with("paged_scatter_map") => &[10],
        name if name.starts_with("paged_board_") => &[0, 4],
        // The board, and how many operations are left. The address of the slots is not a parameter.
        name if name.starts_with("board_set") && name.contains("_sift_") => &[5, 12],
        name if name.starts_with("board_") && name.contains("_sift_") => &[5, 14],
        name if name.starts_with("board_") => &[5],
        // Nor do these access a table: the number of words taken in bins, and the tally.
        name if name.contains("_scatter_again_") => &[9, 17, 20],
        name if name.starts_with("open_set") && name.contains("_scatter_") => &[13, 16],
        name if name.contains("_scatter_") => &[14, 17],
        // It accesses no memory.
        "hold" => &[],
        // These do not access a table. The outcomes of a launch that has ended are plain; its total is not.
        "count_stored" => &[2],
        _ => &[0],
    }
}

#[test]
fn words_of_a_table_are_never_accessed_plainly() {
    let (mut plain, mut atomic) = (0, 0);
    for module in MODULES.iter().filter(|m| m.name != "probes") {
        let text = text(module);
        // These access no table and no counter; or they read the address of their table, which is then not a
        // parameter.
        let moves = |kernel: &Kernel<'_>| {
            let names = ["paged_arrange_", "paged_answer_", "paged_map", "paged_set"];
            names.iter().any(|name| kernel.name.starts_with(name))
        };
        for kernel in Kernel::all(&text).into_iter().filter(|kernel| !moves(kernel)) {
            let addresses = kernel.derived_from(table_parameters(kernel.name));
            let on_tables = kernel.memory().filter(|i| i.uses(&addresses)).count();
            if table_parameters(kernel.name).is_empty() {
                assert_eq!(kernel.memory().count(), 0, "{}", kernel.name);
                continue;
            }
            // It reports that there is no room, and reads only outcomes.
            let gives_up = kernel.name.contains("_insert_") && kernel.name.contains("_last_");
            assert!(gives_up == (on_tables == 0), "{}: no access of the table was recognised", kernel.name);
            atomic += on_tables;
            for access in kernel.memory().filter(|i| i.is_plain()) {
                plain += 1;
                assert!(!access.uses(&addresses), "{} in {}", access.mnemonic, kernel.name);
            }
        }
    }
    assert!(plain > 100 && atomic > 100, "{plain} plain and {atomic} atomic accesses");
}

#[test]
fn every_kernel_is_there_for_its_module() {
    let base = text(&MODULES[0]);
    let wide = text(&MODULES[1]);
    let names = |text: &str| Kernel::all(text).iter().map(|k| k.name.to_owned()).collect::<Vec<_>>();
    let (base, wide) = (names(&base), names(&wide));
    assert!(base.iter().all(|name| wide.contains(name)), "the sm_90 module has every kernel of the baseline");
    assert!(wide.len() > base.len(), "and those on 128-bit words");
}

#[test]
fn a_plain_access_of_a_table_would_be_found() {
    let text = ".visible .entry k(\n)\n{\n\tld.param.b64 %rd1, [k_param_0];\n\tcvta.to.global.u64 %rd2, %rd1;\n\
                \tadd.s64 %rd3, %rd2, 8;\n\t@%p1 ld.global.b32 %r1, [%rd3+4];\n\tatom.global.add.u32 %r2, [%rd3], 1;\n\
                \tld.relaxed.gpu.global.b32 %r4, [%rd3];\n\tld.global.b32 %r3, [%r4];\n}\n";
    let kernels = Kernel::all(text);
    let derived = kernels[0].derived_from(&[0]);
    let plain: Vec<bool> = kernels[0].memory().filter(|i| i.is_plain()).map(|i| i.uses(&derived)).collect();
    // A value read from the table is not an address in it.
    assert_eq!(plain, [true, false]);
    assert!(!is_contracted("atom.global.add.u32") && !is_contracted("ld.release.gpu.global.b32"));
    assert!(is_staged("open_map32_fill_l1", "ld.shared.v2.b64"));
    assert!(
        !is_staged("open_map32_search_l1", "ld.shared.b64")
            && !is_staged("open_map32_fill_l1", "ld.global.b64")
    );
}
