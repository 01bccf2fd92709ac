//! Reads PTX text: kernels, their instructions, and which registers hold addresses that come from parameters.

use std::collections::HashSet;

/// One entry point.
pub(crate) struct Kernel<'a> {
    pub(crate) name: &'a str,
    pub(crate) instructions: Vec<Instruction<'a>>,
}

/// One instruction.
pub(crate) struct Instruction<'a> {
    /// Mnemonic with its modifiers.
    pub(crate) mnemonic: &'a str,
    operands: Vec<&'a str>,
}

impl<'a> Kernel<'a> {
    /// The entry points of a module.
    pub(crate) fn all(text: &'a str) -> Vec<Self> {
        let mut kernels = Vec::new();
        for part in text.split(".entry ").skip(1) {
            let name = part.split('(').next().unwrap_or_default();
            let body = part.split_once("\n{").map_or("", |(_, rest)| rest);
            let body = body.split("\n}").next().unwrap_or_default();
            kernels.push(Self {
                name,
                instructions: body.split([';', '\n']).filter_map(Instruction::read).collect(),
            });
        }
        kernels
    }

    /// Instructions that access memory, except for loads of parameters.
    pub(crate) fn memory(&self) -> impl Iterator<Item = &Instruction<'a>> {
        let kinds = ["ld.", "st.", "atom.", "red."];
        self.instructions.iter().filter(move |i| {
            kinds.iter().any(|k| i.mnemonic.starts_with(k)) && !i.mnemonic.starts_with("ld.param")
        })
    }

    /// The registers that may hold an address computed from one of the parameters. An instruction passes it
    /// on from its operands to its result, unless it accesses memory.
    pub(crate) fn derived_from(&self, parameters: &[usize]) -> HashSet<&'a str> {
        let names: Vec<String> = parameters.iter().map(|p| format!("p{p}")).collect();
        let mut derived = HashSet::new();
        loop {
            let before = derived.len();
            for i in &self.instructions {
                let Some((target, sources)) = i.operands.split_first() else { continue };
                let flows = if i.mnemonic.starts_with("ld.param") {
                    sources.iter().any(|s| names.iter().any(|n| s == n))
                } else {
                    !i.touches_memory() && sources.iter().any(|s| derived.contains(s))
                };
                if flows {
                    derived.insert(*target);
                }
            }
            if derived.len() == before {
                return derived;
            }
        }
    }
}

impl<'a> Instruction<'a> {
    fn read(line: &'a str) -> Option<Self> {
        let mut words = line.trim().trim_start_matches('{').trim().splitn(2, char::is_whitespace);
        let mut mnemonic = words.next()?;
        let mut rest = words.next().unwrap_or_default();
        if mnemonic.starts_with('@') {
            let mut words = rest.trim().splitn(2, char::is_whitespace);
            mnemonic = words.next()?;
            rest = words.next().unwrap_or_default();
        }
        if mnemonic.is_empty() || mnemonic.starts_with(['.', '/', '$', '}']) {
            return None;
        }
        let operands = rest
            .split(|c: char| !(c.is_alphanumeric() || "%_$.".contains(c)))
            .filter(|word| !word.is_empty())
            .collect();
        Some(Self { mnemonic, operands })
    }

    /// Whether any operand is one of `registers`.
    pub(crate) fn uses(&self, registers: &HashSet<&str>) -> bool {
        self.operands.iter().any(|o| registers.contains(o))
    }

    fn touches_memory(&self) -> bool {
        ["ld.", "st.", "atom.", "red."].iter().any(|k| self.mnemonic.starts_with(k))
    }

    /// A plain access: no order, no scope.
    pub(crate) fn is_plain(&self) -> bool {
        self.mnemonic.starts_with("ld.global.") || self.mnemonic.starts_with("st.global.")
    }
}
