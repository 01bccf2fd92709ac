//! The places of a Rust file where mutants can be made, and the changes of each.
//!
//! Nothing is changed in tests, constants, types, macros, code that prints a value, and calls that have no
//! effect on a structure ([`NO_EFFECT`]).

use crate::shell::Outcome;
use std::ops::Range;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{
    AngleBracketedGenericArguments, Attribute, BinOp, Block, Expr, ExprMethodCall, ImplItem, Item, Lit, Meta,
    Pat, PathArguments, ReturnType, Signature, Stmt, Type, UnOp,
};

/// Methods whose calls are not changed: marks tell a checker which states are equal, and a prefetch is a
/// hint.
const NO_EFFECT: [&str; 2] = ["mark", "prefetch"];

/// Traits that print.
const PRINTERS: [&str; 2] = ["Debug", "Display"];

/// A place and its changes. Two places are disjoint, or one is inside the other.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Place {
    /// The bytes that a change replaces. Empty if the change is an addition.
    pub(super) bytes: Range<usize>,
    pub(super) form: Form,
    /// As `Type::name`, or `name` alone.
    pub(super) function: String,
    pub(super) changes: Vec<Change>,
}

/// The syntactic form of a change.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Form {
    /// An expression that replaces an expression.
    Expression,
    /// Nothing, which replaces a statement.
    Statement,
    /// A statement at the start of a function.
    Begin,
    /// A guard that is false, after the pattern of an arm.
    Guard,
}

/// A change of a place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Change {
    /// As `replace < with <=`.
    pub(super) what: String,
    /// The new text.
    pub(super) text: String,
}

/// The places of a file.
#[derive(Debug, Default)]
pub(super) struct Found {
    /// Sorted by their starts; an outer place comes before those inside.
    pub(super) places: Vec<Place>,
    /// The `const` of each function, and the function's name.
    pub(super) constants: Vec<(Range<usize>, String)>,
}

/// The places of a file.
pub(super) fn places(text: &str) -> Outcome<Found> {
    let file = syn::parse_file(text).map_err(|error| error.to_string())?;
    let mut finder = Finder { text, within: Vec::new(), function: String::new(), found: Found::default() };
    finder.items(&file.items);
    let mut found = finder.found;
    found.places.sort_by_key(|place| (place.bytes.start, std::cmp::Reverse(place.bytes.end)));
    Ok(found)
}

struct Finder<'a> {
    text: &'a str,
    /// Types around the function.
    within: Vec<String>,
    function: String,
    found: Found,
}

fn bytes(node: &impl Spanned) -> Range<usize> {
    node.span().byte_range()
}

/// Whether it exists only in tests: `cfg(test)`, or that and other conditions.
fn is_of_tests(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| match &attribute.meta {
        Meta::Path(path) => path.is_ident("test"),
        Meta::List(list) => {
            let condition = list.tokens.to_string();
            let has = |name| condition.split(|c: char| !c.is_alphanumeric()).any(|word| word == name);
            list.path.is_ident("cfg") && has("test") && !has("not")
        }
        Meta::NameValue(_) => false,
    })
}

/// The last name of a type.
fn name(of: &Type) -> String {
    let last = if let Type::Path(path) = of { path.path.segments.last() } else { None };
    last.map_or_else(|| "_".to_owned(), |segment| segment.ident.to_string())
}

impl Finder<'_> {
    fn items(&mut self, items: &[Item]) {
        for item in items {
            match item {
                Item::Fn(one) if !is_of_tests(&one.attrs) => self.function(&one.sig, &one.block),
                Item::Mod(one) if !is_of_tests(&one.attrs) => {
                    if let Some((_, items)) = &one.content {
                        self.items(items);
                    }
                }
                Item::Trait(one) if !is_of_tests(&one.attrs) => {
                    self.within.push(one.ident.to_string());
                    for item in &one.items {
                        let syn::TraitItem::Fn(of) = item else { continue };
                        if let Some(body) = &of.default {
                            self.function(&of.sig, body);
                        }
                    }
                    self.within.pop();
                }
                Item::Impl(one) if !is_of_tests(&one.attrs) => {
                    let of_trait = one.trait_.as_ref().and_then(|(path, _)| path.segments.last());
                    if of_trait.is_some_and(|of| PRINTERS.iter().any(|printer| of.ident == printer)) {
                        continue;
                    }
                    self.within.push(name(&one.self_ty));
                    for item in &one.items {
                        let ImplItem::Fn(of) = item else { continue };
                        if !is_of_tests(&of.attrs) {
                            self.function(&of.sig, &of.block);
                        }
                    }
                    self.within.pop();
                }
                _ => {}
            }
        }
    }

    fn function(&mut self, signature: &Signature, body: &Block) {
        let path: Vec<String> = self.within.iter().cloned().chain([signature.ident.to_string()]).collect();
        let outer = std::mem::replace(&mut self.function, path.join("::"));
        if let Some(word) = &signature.constness {
            self.found.constants.push((bytes(word), signature.ident.to_string()));
        }
        self.body(signature, body);
        self.visit_block(body);
        self.function = outer;
    }

    /// A function that returns at once.
    fn body(&mut self, signature: &Signature, body: &Block) {
        let values: &[&str] = match &signature.output {
            ReturnType::Default if body.stmts.is_empty() => &[],
            // A body with one statement is not emptied here: to delete that statement has the same effect.
            ReturnType::Default if matches!(&body.stmts[..], [only] if is_deleted(only)) => &[],
            ReturnType::Default => &["()"],
            ReturnType::Type(_, of) => match &*name(of) {
                "bool" => &["true", "false"],
                "u8" | "u16" | "u32" | "u64" | "u128" | "usize" | "i32" | "i64" => &["0", "1"],
                "Option" => &["None"],
                "Result" if self.text[bytes(of)].starts_with("Result<(),") => &["Ok(())"],
                _ => &[],
            },
        };
        let only = self.text[bytes(&body.brace_token.span.join())].trim_matches(['{', '}']).trim();
        let changes = values.iter().filter(|value| **value != only);
        let changes = changes.map(|value| Change {
            what: format!("replace the body with {value}"),
            text: format!("return {value};"),
        });
        let at = body.brace_token.span.open().byte_range().end;
        self.put(at..at, Form::Begin, changes.collect());
    }

    fn put(&mut self, bytes: Range<usize>, form: Form, changes: Vec<Change>) {
        if changes.is_empty() {
            return;
        }
        let twin = self.found.places.iter_mut().find(|place| place.bytes == bytes && place.form == form);
        match twin {
            Some(place) => place.changes.extend(changes),
            None => {
                let function = self.function.clone();
                self.found.places.push(Place { bytes, form, function, changes });
            }
        }
    }

    /// The text of `whole` with that of `part` replaced.
    fn with(&self, whole: &Range<usize>, part: &Range<usize>, new: &str) -> String {
        format!("{}{new}{}", &self.text[whole.start..part.start], &self.text[part.end..whole.end])
    }

    /// An expression, in which each of these texts replaces a part.
    fn exchange(&mut self, whole: &impl Spanned, part: &impl Spanned, news: &[&str]) {
        let (whole, part) = (bytes(whole), bytes(part));
        let old = &self.text[part.clone()];
        let changes = news.iter().map(|new| Change {
            what: format!("replace {old} with {new}"),
            text: self.with(&whole, &part, new),
        });
        // A result that is no longer an expression is dropped, for example the left side of `a as u32 < b`.
        let changes = changes.filter(|change| syn::parse_str::<Expr>(&change.text).is_ok()).collect();
        self.put(whole, Form::Expression, changes);
    }

    /// A condition that always or never holds. A condition with a pattern is not replaced, but its other
    /// parts are.
    fn condition(&mut self, condition: &Expr, values: &[&str]) {
        match condition {
            Expr::Binary(both) if has_pattern(condition) => {
                self.condition(&both.left, values);
                self.condition(&both.right, values);
            }
            Expr::Let(_) | Expr::Lit(_) => {}
            _ => {
                let changes = values.iter().map(|value| Change {
                    what: format!("replace condition {} with {value}", short(&self.text[bytes(condition)])),
                    text: (*value).to_owned(),
                });
                self.put(bytes(condition), Form::Expression, changes.collect());
            }
        }
    }

    fn call(&mut self, call: &ExprMethodCall) {
        let method = call.method.to_string();
        let other = match &*method {
            "wrapping_add" => "wrapping_sub",
            "wrapping_sub" => "wrapping_add",
            "min" => "max",
            "max" => "min",
            "any" => "all",
            "all" => "any",
            "is_some" => "is_none",
            "is_none" => "is_some",
            "trailing_zeros" => "leading_zeros",
            "leading_zeros" => "trailing_zeros",
            _ => "",
        };
        if !other.is_empty() {
            self.exchange(call, &call.method, &[other]);
        }
        self.torn(call, &method);
    }

    /// Replaces a read-modify-write with a load and a store.
    fn torn(&mut self, call: &ExprMethodCall, method: &str) {
        let whole = bytes(call);
        let receiver = &self.text[bytes(&call.receiver)];
        let arguments: Vec<&str> = call.args.iter().map(|one| &self.text[bytes(one)]).collect();
        let (names, values, writes) = match (method, &arguments[..]) {
            ("compare_exchange", [at, current, new, _]) => {
                ("at, current, new", format!("{at}, {current}, {new}"), "if was == current ")
            }
            ("swap", [at, new, _]) => ("at, new", format!("{at}, {new}"), ""),
            _ => return,
        };
        let text = format!(
            "{{ let (words, {names}) = ({receiver}, {values}); \
             let was = words.load(at, crate::memory::ReadOrder::Acquire); \
             {writes}{{ words.store(at, new, crate::memory::WriteOrder::Release); }} was }}"
        );
        let what = format!("replace {method} with a load and a store");
        self.put(whole, Form::Expression, vec![Change { what, text }]);
    }
}

/// Whether an arm matches everything that is left. A name in capitals is a value.
fn takes_all(pattern: &Pat) -> bool {
    match pattern {
        Pat::Wild(_) => true,
        Pat::Ident(one) => one.ident.to_string().starts_with(char::is_lowercase),
        _ => false,
    }
}

/// Whether a condition binds something.
fn has_pattern(condition: &Expr) -> bool {
    match condition {
        Expr::Let(_) => true,
        Expr::Binary(both) if matches!(both.op, BinOp::And(_)) => {
            has_pattern(&both.left) || has_pattern(&both.right)
        }
        _ => false,
    }
}

/// The start of a long text, in one line.
fn short(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    let line = words.join(" ");
    match line.char_indices().nth(40) {
        Some((at, _)) => format!("{}...", &line[..at]),
        None => line,
    }
}

/// Whether a mutant deletes this statement.
fn is_deleted(statement: &Stmt) -> bool {
    let Stmt::Expr(expression, Some(_)) = statement else { return false };
    match expression {
        Expr::Call(_) | Expr::Assign(_) | Expr::Try(_) => true,
        Expr::MethodCall(call) => !has_no_effect(call),
        Expr::Binary(_) => true,
        _ => false,
    }
}

fn has_no_effect(call: &ExprMethodCall) -> bool {
    NO_EFFECT.iter().any(|name| call.method == name)
}

/// The replacements of an operator.
fn others(operator: &BinOp) -> &'static [&'static str] {
    match operator {
        BinOp::Add(_) => &["-"],
        BinOp::Sub(_) => &["+"],
        BinOp::Mul(_) => &["+"],
        BinOp::Div(_) => &["*"],
        BinOp::Rem(_) => &["/"],
        BinOp::And(_) => &["||"],
        BinOp::Or(_) => &["&&"],
        BinOp::BitXor(_) => &["|"],
        BinOp::BitAnd(_) => &["|"],
        BinOp::BitOr(_) => &["&"],
        BinOp::Shl(_) => &[">>"],
        BinOp::Shr(_) => &["<<"],
        BinOp::Eq(_) => &["!="],
        BinOp::Ne(_) => &["=="],
        BinOp::Lt(_) => &["<=", ">="],
        BinOp::Le(_) => &["<", ">"],
        BinOp::Gt(_) => &[">=", "<="],
        BinOp::Ge(_) => &[">", "<"],
        BinOp::AddAssign(_) => &["-="],
        BinOp::SubAssign(_) => &["+="],
        BinOp::MulAssign(_) => &["+="],
        BinOp::DivAssign(_) => &["*="],
        BinOp::RemAssign(_) => &["/="],
        BinOp::BitXorAssign(_) => &["|="],
        BinOp::BitAndAssign(_) => &["|="],
        BinOp::BitOrAssign(_) => &["&="],
        BinOp::ShlAssign(_) => &[">>="],
        BinOp::ShrAssign(_) => &["<<="],
        _ => &[],
    }
}

impl<'ast> Visit<'ast> for Finder<'_> {
    fn visit_expr(&mut self, expression: &'ast Expr) {
        match expression {
            // The length of an array is a constant.
            Expr::Repeat(repeat) => return self.visit_expr(&repeat.expr),
            Expr::Const(_) | Expr::Macro(_) => return,
            Expr::MethodCall(call) if has_no_effect(call) => return,
            Expr::Binary(binary) if !has_pattern(expression) => {
                self.exchange(expression, &binary.op, others(&binary.op));
            }
            Expr::Unary(unary) if matches!(unary.op, UnOp::Not(_) | UnOp::Neg(_)) => {
                let operator = &self.text[bytes(&unary.op)];
                let change = Change {
                    what: format!("delete {operator}"),
                    text: self.text[bytes(&unary.expr)].to_owned(),
                };
                self.put(bytes(expression), Form::Expression, vec![change]);
            }
            Expr::If(one) => self.condition(&one.cond, &["true", "false"]),
            // A condition that always holds would never end.
            Expr::While(one) => self.condition(&one.cond, &["false"]),
            Expr::Match(one) => {
                if one.arms.last().is_some_and(|arm| takes_all(&arm.pat)) {
                    let arms = one.arms.iter().take(one.arms.len() - 1);
                    for arm in arms.filter(|arm| !matches!(arm.pat, Pat::Guard(_))) {
                        let bytes = bytes(&arm.pat);
                        let what = format!("delete arm {}", short(&self.text[bytes.clone()]));
                        let change = Change { what, text: String::new() };
                        self.put(bytes.end..bytes.end, Form::Guard, vec![change]);
                    }
                }
                for arm in &one.arms {
                    if let Pat::Guard(with) = &arm.pat {
                        self.condition(&with.guard, &["true", "false"]);
                    }
                }
            }
            Expr::MethodCall(call) => self.call(call),
            Expr::Lit(literal) => {
                if let Lit::Int(number) = &literal.lit
                    && let Ok(value) = number.base10_parse::<u128>()
                {
                    let suffix = number.suffix();
                    let others = [value.checked_add(1), value.checked_sub(1)].into_iter().flatten();
                    let others: Vec<String> = others.map(|other| format!("{other}{suffix}")).collect();
                    let others: Vec<&str> = others.iter().map(String::as_str).collect();
                    self.exchange(expression, expression, &others);
                }
            }
            Expr::Path(path) if path.qself.is_none() => {
                let names: Vec<String> =
                    path.path.segments.iter().rev().take(2).map(|part| part.ident.to_string()).collect();
                if let [order, of] = &names[..]
                    && matches!(&**of, "Order" | "ReadOrder" | "WriteOrder")
                    && let Some(last) = path.path.segments.last()
                {
                    let weaker: &[&str] = match &**order {
                        "AcqRel" => &["Acquire", "Release", "Relaxed"],
                        "Acquire" | "Release" => &["Relaxed"],
                        _ => &[],
                    };
                    self.exchange(expression, &last.ident, weaker);
                }
            }
            _ => {}
        }
        visit::visit_expr(self, expression);
    }

    fn visit_stmt(&mut self, statement: &'ast Stmt) {
        match statement {
            Stmt::Item(item) => return self.items(std::slice::from_ref(item)),
            Stmt::Macro(_) => return,
            _ if is_deleted(statement) => {
                let bytes = bytes(statement);
                let what = format!("delete {}", short(&self.text[bytes.clone()]));
                let change = Change { what, text: String::new() };
                self.put(bytes, Form::Statement, vec![change]);
            }
            _ => {}
        }
        visit::visit_stmt(self, statement);
    }

    /// Numbers of patterns are constants; a guard is an expression.
    fn visit_pat(&mut self, pattern: &'ast Pat) {
        if let Pat::Guard(with) = pattern {
            self.visit_expr(&with.guard);
        }
    }

    fn visit_type(&mut self, _: &'ast Type) {}

    fn visit_path_arguments(&mut self, _: &'ast PathArguments) {}

    fn visit_angle_bracketed_generic_arguments(&mut self, _: &'ast AngleBracketedGenericArguments) {}

    fn visit_attribute(&mut self, _: &'ast Attribute) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is changed in a body, and the replacements.
    fn changes(body: &str) -> Vec<(String, String)> {
        let text = format!("fn f() {{ {body} }}");
        let found = places(&text).expect("a file");
        let changes = found.places.into_iter().filter(|place| place.form != Form::Begin);
        changes.flat_map(|place| place.changes).map(|change| (change.what, change.text)).collect()
    }

    fn whats(body: &str) -> Vec<String> {
        changes(body).into_iter().map(|(what, _)| what).collect()
    }

    #[test]
    fn an_outer_place_comes_before_those_inside() {
        let expected = [
            ("replace < with <=", "a + 1 <= b"),
            ("replace < with >=", "a + 1 >= b"),
            ("replace + with -", "a - 1"),
            ("replace 1 with 2", "2"),
            ("replace 1 with 0", "0"),
        ];
        let expected = expected.map(|(what, text)| (what.to_owned(), text.to_owned()));
        assert_eq!(changes("let c = a + 1 < b;"), expected);
    }

    #[test]
    fn statements_are_deleted_but_for_those_without_effect() {
        assert_eq!(whats("w.sync();"), ["delete w.sync();"]);
        assert_eq!(whats("x = y;"), ["delete x = y;"]);
        assert_eq!(whats("x += y;"), ["delete x += y;", "replace += with -="]);
        assert_eq!(whats("w.mark(3, x + 1); w.prefetch(4); assert!(a < b);"), [""; 0]);
        assert_eq!(whats("let x = y;"), [""; 0]);
    }

    #[test]
    fn conditions_hold_always_or_never_unless_they_bind() {
        assert_eq!(
            whats("if a {} else {}"),
            ["replace condition a with true", "replace condition a with false"]
        );
        assert_eq!(whats("while a {}"), ["replace condition a with false"]);
        assert_eq!(
            whats("if let Some(x) = a && b {}"),
            ["replace condition b with true", "replace condition b with false"]
        );
        assert_eq!(whats("if let Some(x) = a {}"), [""; 0]);
    }

    #[test]
    fn an_arm_goes_where_the_last_one_takes_all() {
        assert_eq!(
            whats("match a { X::A => {} X::B => {} _ => {} }"),
            ["delete arm X::A", "delete arm X::B"]
        );
        assert_eq!(whats("match a { X::A => {} other => {} }"), ["delete arm X::A"]);
        assert_eq!(whats("match a { Some(_) => {} None => {} }"), [""; 0]);
        assert_eq!(
            whats("match a { X::A if b => {} _ => {} }"),
            ["replace condition b with true", "replace condition b with false"]
        );
    }

    #[test]
    fn orders_become_weaker_and_exchanges_tear() {
        assert_eq!(
            whats("let a = f(Order::AcqRel, ReadOrder::Acquire, WriteOrder::Relaxed);"),
            [
                "replace AcqRel with Acquire",
                "replace AcqRel with Release",
                "replace AcqRel with Relaxed",
                "replace Acquire with Relaxed"
            ]
        );
        let torn = changes("let a = h.compare_exchange(i, x, y, o);");
        assert_eq!(torn[0].0, "replace compare_exchange with a load and a store");
        assert!(torn[0].1.contains("(words, at, current, new) = (h, i, x, y);"), "{}", torn[0].1);
        assert!(torn[0].1.contains("if was == current { words.store(at, new,"), "{}", torn[0].1);
    }

    #[test]
    fn a_body_answers_at_once() {
        let values = |function: &str| -> Vec<String> {
            let found = places(function).expect("a file");
            found.places.into_iter().flat_map(|place| place.changes).map(|change| change.text).collect()
        };
        assert_eq!(values("fn f() -> bool { a() }"), ["return true;", "return false;"]);
        assert_eq!(values("fn f() -> bool { true }"), ["return false;"]);
        assert_eq!(values("fn f() -> u32 { a() }"), ["return 0;", "return 1;"]);
        assert_eq!(values("fn f() -> Option<u8> { a() }"), ["return None;"]);
        assert_eq!(values("fn f() { a() }"), ["return ();"]);
        assert_eq!(values("fn f() {}"), [""; 0]);
        assert_eq!(values("fn f() -> W { a() }"), [""; 0]);
    }

    #[test]
    fn constants_types_tests_and_what_prints_are_left_alone() {
        for text in [
            "const A: usize = 1 + 2;",
            "static A: [u8; 2] = [1; 2];",
            "enum A { B = 1 }",
            "fn f(a: [u8; 3]) { let b: [u8; 2] = [a; 4]; g::<5>(b) }",
            "#[cfg(test)] mod tests { fn f() -> u32 { 1 + 2 } }",
            "#[cfg(all(test, feature = \"host\"))] mod tests { fn f() -> u32 { 1 + 2 } }",
            "impl Debug for A { fn fmt(&self) -> u32 { 1 + 2 } }",
            "macro_rules! a { () => { 1 + 2 } }",
        ] {
            let found = places(text).expect("a file");
            let places = found.places.into_iter().filter(|place| place.form != Form::Begin);
            assert_eq!(places.collect::<Vec<_>>(), [], "{text}");
        }
        assert!(places("fn f( {").is_err());
    }

    #[test]
    fn places_know_their_functions() {
        let text = "impl A for B<C> { const fn f() -> u32 { 1 } } trait D { fn g() { fn h() { x = 2; } } }";
        let found = places(text).expect("a file");
        let mut functions: Vec<&str> = found.places.iter().map(|place| &*place.function).collect();
        functions.dedup();
        assert_eq!(functions, ["B::f", "D::g", "D::h"]);
        assert_eq!(found.constants.len(), 1);
        assert_eq!((&text[found.constants[0].0.clone()], &*found.constants[0].1), ("const", "f"));
    }
}
