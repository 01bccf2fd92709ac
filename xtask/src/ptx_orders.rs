//! Compares PTX with the ordering table. Each access of the memory contract must become the instruction that
//! the table names, and the kernels of the tables must use no other ones.

use crate::modules::Module;
use crate::ptx_text::{Instruction, Kernel};
use std::collections::BTreeMap;

/// The load of a word that may be read as it was before.
const NEARBY: &str = "ld.relaxed.cta.global.b32";

const ORDERS: [&str; 4] = ["relaxed", "acquire", "release", "acq_rel"];

/// Instructions by which lanes exchange values or wait.
const LANES: [&str; 7] = [
    "vote.sync.ballot.b32",
    "shfl.sync.idx.b32",
    "bar.warp.sync",
    "bar.sync",
    "fence.sc.gpu",
    "fence.acq_rel.gpu",
    "nanosleep.u32",
];

/// Where the text of a module is at odds with the ordering table.
pub(crate) fn faults(module: &Module, text: &str) -> Vec<String> {
    let kernels = Kernel::all(text);
    let said = if module.name == "probes" {
        of_probes(&kernels, module.features.contains("b128"))
    } else {
        let plain = kernels.iter().filter_map(plain_of_table);
        kernels.iter().flat_map(strange).chain(plain).collect()
    };
    said.into_iter().map(|fault| format!("{}: {fault}", module.file_name())).collect()
}

/// The probes that did not become the instructions of the ordering table.
fn of_probes(kernels: &[Kernel<'_>], wide: bool) -> Vec<String> {
    let found: BTreeMap<String, Vec<String>> =
        kernels.iter().map(|k| (k.name.to_owned(), effects(k))).collect();
    let expected = expected(wide);
    let wrong = expected.iter().filter(|(name, instructions)| found.get(*name) != Some(instructions));
    let unknown = found.keys().filter(|name| !expected.contains_key(*name));
    wrong
        .map(|(name, instructions)| {
            format!("{name} became {:?}; the ordering table has {instructions:?}", found.get(name))
        })
        .chain(unknown.map(|name| format!("the ordering table has no row for {name}")))
        .collect()
}

/// The instructions of a kernel on memory or on other lanes that the memory contract does not know.
fn strange(kernel: &Kernel<'_>) -> Vec<String> {
    let known = |effect: &String| {
        is_contracted(effect)
            || is_staged(kernel.name, effect)
            || is_nearby(kernel.name, effect)
            || LANES.contains(&effect.as_str())
    };
    let effects = effects(kernel);
    let nearby = effects.iter().filter(|effect| *effect == NEARBY).count();
    let second = |effect: &String| effect == NEARBY && nearby > 1;
    let effects = effects.into_iter().filter(|effect| !known(effect) || second(effect));
    effects
        .map(|effect| {
            format!("{} has the instruction {effect}, which the memory contract does not know", kernel.name)
        })
        .collect()
}

/// The fault that a kernel reads or writes words of a table by a plain access, or that no access of them was
/// found.
fn plain_of_table(kernel: &Kernel<'_>) -> Option<String> {
    // Kernels that access neither a table nor a counter, and kernels that read the address of their table
    // from memory: it is not one of their parameters.
    let elsewhere = [
        "columns_among_",
        "columns_sample",
        "paged_arrange_",
        "paged_answer_",
        "paged_gather_",
        "paged_map",
        "paged_set",
    ];
    if elsewhere.iter().any(|name| kernel.name.starts_with(name)) {
        return None;
    }
    let parameters = table_parameters(kernel.name);
    let addresses = kernel.derived_from(parameters);
    if parameters.is_empty() != kernel.memory().all(|i| !i.uses(&addresses)) {
        return Some(format!("{}: no access was found to the parameters that point to a table", kernel.name));
    }
    if parameters.is_empty() && kernel.memory().next().is_some() {
        return Some(format!("{} accesses memory, but has no parameter that points to a table", kernel.name));
    }
    // Nothing changes the table while these run.
    let read_only = |i: &&Instruction<'_>| {
        kernel.name.contains("_search_frozen_") && i.mnemonic.starts_with("ld.global.nc.")
    };
    let plain = kernel.memory().filter(|i| !read_only(i)).find(|i| i.is_plain() && i.uses(&addresses))?;
    Some(format!("{} reads or writes words of a table by the plain {}", kernel.name, plain.mnemonic))
}

/// The probes of one handle: their names, and the one instruction that each must become.
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

/// Every probe of a module and its instructions, without those that read its input and write its output.
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
    for (name, instruction) in accesses("", "gpu.global", 32, false) {
        let instruction = if name == "load_relaxed" { NEARBY.to_owned() } else { instruction };
        probes.insert(format!("probe_nearby_{name}"), vec![instruction]);
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

/// The instructions of a kernel that act on memory or on other lanes. Plain accesses, which read its input
/// and write its output, are left out.
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

/// Whether an access of shared memory is one that the memory contract can ask for.
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

/// Whether an access is a plain one of shared scratch words, in a kernel that has such words. They pass from
/// thread to thread only at barriers.
fn is_staged(kernel: &str, mnemonic: &str) -> bool {
    let scratch = ["_scatter_l", "_scatter_again_l", "_fill_l"].iter().any(|step| kernel.contains(step));
    let accesses = ["ld.shared.", "st.shared."].iter().find_map(|access| mnemonic.strip_prefix(access));
    scratch && accesses.is_some_and(|width| ["b32", "b64", "v2.b64"].contains(&width))
}

/// Whether an access is a load of a key that has lost an exchange, in a kernel that has these: one load. They
/// are hints: an older value is as right.
fn is_nearby(kernel: &str, mnemonic: &str) -> bool {
    kernel.starts_with("open_map64_insert_or_update_l") && mnemonic == NEARBY
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
        name if name.starts_with("columns_count_") => &[10],
        name if name.starts_with("columns_scatter_") => &[11],
        name if name.starts_with("columns_group_") => &[12],
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::modules::MODULES;
    use crate::shell::read;

    #[test]
    fn checked_in_ptx_is_as_the_ordering_table_says() {
        let (mut plain, mut atomic) = (0, 0);
        for module in MODULES.iter().filter(|module| module.shipped) {
            let text = read(&module.path()).unwrap();
            assert_eq!(faults(module, &text), Vec::<String>::new());
            for kernel in Kernel::all(&text) {
                plain += kernel.memory().filter(|i| i.is_plain()).count();
                atomic += kernel.memory().filter(|i| !i.is_plain()).count();
            }
        }
        assert!(plain > 100 && atomic > 100, "{plain} plain and {atomic} atomic accesses");
    }

    #[test]
    fn the_modules_of_a_gpu_share_no_kernel() {
        let mut names = Vec::new();
        for module in MODULES.iter().filter(|module| module.shipped) {
            names.extend(Kernel::all(&read(&module.path()).unwrap()).iter().map(|k| k.name.to_owned()));
        }
        let all = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), all, "the first module that has a kernel would hide the other one's");
    }

    #[test]
    fn a_plain_access_of_a_table_would_be_found() {
        let text = ".visible .entry open_k(\n)\n{\nld.param.b64 %rd1,[p0];\ncvta.to.global.u64 %rd2,%rd1;\n\
                    add.s64 %rd3,%rd2,8;\n@%p1 ld.global.b32 %r1,[%rd3+4];\natom.global.add.u32 %r2,[%rd3],1;\n\
                    ld.relaxed.gpu.global.b32 %r4,[%rd3];\nld.global.b32 %r3,[%r4];\n}\n";
        let kernels = Kernel::all(text);
        let derived = kernels[0].derived_from(&[0]);
        let plain: Vec<bool> =
            kernels[0].memory().filter(|i| i.is_plain()).map(|i| i.uses(&derived)).collect();
        // What was read from the table is no address of it.
        assert_eq!(plain, [true, false]);
        let said = faults(&MODULES[0], text);
        assert_eq!(
            said,
            [
                "warpproof.sm_75.ptx: open_k has the instruction atom.global.add.u32, which the memory contract does not know",
                "warpproof.sm_75.ptx: open_k reads or writes words of a table by the plain ld.global.b32"
            ]
        );
        assert!(!is_contracted("atom.global.add.u32") && !is_contracted("ld.release.gpu.global.b32"));
        // Of the hints a kernel of sums loads one, and no other kernel loads any.
        let hints = |name: &str, loads: usize| {
            let load = format!("{NEARBY} %r1,[%rd1];\n");
            let text = format!(".visible .entry {name}(\n)\n{{\n{}}}\n", load.repeat(loads));
            strange(&Kernel::all(&text)[0]).len()
        };
        let sums = "open_map64_insert_or_update_l2";
        assert_eq!([hints(sums, 1), hints(sums, 2), hints("open_map64_search_l2", 1)], [0, 2, 1]);
        assert!(is_staged("open_map32_fill_l1", "ld.shared.v2.b64"));
        assert!(
            !is_staged("open_map32_search_l1", "ld.shared.b64")
                && !is_staged("open_map32_fill_l1", "ld.global.b64")
        );
    }

    #[test]
    fn a_wrong_probe_would_be_found() {
        let probes = MODULES.iter().find(|module| module.name == "probes").unwrap();
        let of = |order: &str| {
            format!(
                ".visible .entry probe_load_relaxed_u32(\n)\n{{\nld.{order}.gpu.global.b32 %r1,[%rd1];\n}}\n"
            )
        };
        let [right, wrong] = ["relaxed", "acquire"].map(|order| faults(probes, &of(order)));
        assert!(right.iter().all(|fault| !fault.contains("probe_load_relaxed_u32 ")), "{right:?}");
        assert_eq!(wrong.len(), right.len() + 1);
        let unknown = faults(probes, ".visible .entry probe_x(\n)\n{\n}\n");
        assert!(unknown.contains(&"probes.sm_75.ptx: the ordering table has no row for probe_x".to_owned()));
    }
}
