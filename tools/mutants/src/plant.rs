//! Plants mutants into a source file: each becomes a branch beside the code that it changes.
//!
//! Only one mutant is active at a time, so a branch can hold the original text of what is inside
//! it: text grows with the depth of nesting, not exponentially.

use crate::mutant::{Change, Mutant};
use proc_macro2::Span;
use std::collections::BTreeMap;
use std::ops::Range;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};

/// The function that tells whether a mutant is active, in the crate that is mutated.
pub const ACTIVE: &str = "crate::mutant_is_active";

/// The source with all mutants that have a place in it, and the numbers of those.
pub fn plant(source: &str, mutants: &[&Mutant]) -> syn::Result<(String, Vec<usize>)> {
    let file = syn::parse_file(source)?;
    let mut finder = Finder { mutants: by_place(source, mutants), nodes: Vec::new() };
    finder.visit_file(&file);
    let mut nodes = finder.nodes;
    // Outer ones first; what is inserted at a place comes before what begins there.
    nodes.sort_by_key(|node| (node.range.start, std::cmp::Reverse(node.range.end), node.range.len()));
    let planted = nodes.iter().flat_map(Node::numbers).collect();
    let text = Text { source, nodes: &nodes };
    Ok((text.planted(0..source.len()), planted))
}

/// Mutants by the place in the source where what they change begins.
fn by_place<'a>(source: &str, mutants: &[&'a Mutant]) -> BTreeMap<usize, Vec<&'a Mutant>> {
    let starts: Vec<usize> = std::iter::once(0).chain(source.match_indices('\n').map(|(place, _)| place + 1)).collect();
    let place = |mutant: &Mutant| {
        let line = &source[starts[mutant.line - 1]..];
        starts[mutant.line - 1] + line.chars().take(mutant.column - 1).map(char::len_utf8).sum::<usize>()
    };
    let mut places: BTreeMap<usize, Vec<&Mutant>> = BTreeMap::new();
    for mutant in mutants {
        places.entry(place(mutant)).or_default().push(mutant);
    }
    places
}

/// Something that is changed, and how.
struct Node {
    range: Range<usize>,
    what: What,
}

enum What {
    /// Text that is put in: nothing is replaced.
    Insert { numbers: Vec<usize>, text: String },
    /// An operator between two operands, and what may stand for it.
    Binary { left: Range<usize>, operator: Range<usize>, right: Range<usize>, instead: Vec<(usize, String)> },
    /// An operator before an operand, which may be left out.
    Unary { operand: Range<usize>, number: usize },
    /// A condition, and what may stand for it.
    Guard { instead: Vec<(usize, String)> },
    /// A field of a structure that takes the others from a base, from which this one may be taken
    /// too.
    Field { name: String, value: Range<usize>, base: Range<usize>, number: usize },
}

impl Node {
    fn numbers(&self) -> Vec<usize> {
        match &self.what {
            What::Insert { numbers, .. } => numbers.clone(),
            What::Unary { number, .. } | What::Field { number, .. } => vec![*number],
            What::Binary { instead, .. } | What::Guard { instead } => instead.iter().map(|one| one.0).collect(),
        }
    }
}

/// Finds what mutants change.
struct Finder<'a> {
    mutants: BTreeMap<usize, Vec<&'a Mutant>>,
    nodes: Vec<Node>,
}

fn bytes(span: Span) -> Range<usize> {
    span.byte_range()
}

impl Finder<'_> {
    /// The mutants of a kind that begin at a place, with what they put there.
    fn at(&self, place: usize, change: Change) -> Vec<(usize, String)> {
        let here = self.mutants.get(&place).into_iter().flatten().filter(|mutant| mutant.change == change);
        here.map(|mutant| (mutant.number, mutant.replacement.clone())).collect()
    }

    fn body(&mut self, block: &syn::Block) {
        let open = bytes(block.brace_token.span.open());
        let inside = block.stmts.first().map(|first| bytes(first.span()).start);
        let places = [Some(open.start), Some(open.end), inside];
        let found: BTreeMap<usize, String> =
            places.into_iter().flatten().flat_map(|place| self.at(place, Change::Body)).collect();
        let text = found.iter().map(|(number, value)| format!(" if {ACTIVE}({number}) {{ return {value}; }} "));
        let text: String = text.collect();
        let numbers: Vec<usize> = found.into_keys().collect();
        if !numbers.is_empty() {
            self.nodes.push(Node { range: open.end..open.end, what: What::Insert { numbers, text } });
        }
    }
}

/// Whether it binds names that what follows uses: no branch can be put around that.
fn binds(expression: &syn::Expr) -> bool {
    match expression {
        syn::Expr::Let(_) => true,
        syn::Expr::Binary(binary) => binds(&binary.left) || binds(&binary.right),
        _ => false,
    }
}

impl<'a> Visit<'a> for Finder<'_> {
    fn visit_item_fn(&mut self, item: &'a syn::ItemFn) {
        self.body(&item.block);
        visit::visit_item_fn(self, item);
    }

    fn visit_impl_item_fn(&mut self, item: &'a syn::ImplItemFn) {
        self.body(&item.block);
        visit::visit_impl_item_fn(self, item);
    }

    fn visit_trait_item_fn(&mut self, item: &'a syn::TraitItemFn) {
        if let Some(block) = &item.default {
            self.body(block);
        }
        visit::visit_trait_item_fn(self, item);
    }

    fn visit_expr_binary(&mut self, binary: &'a syn::ExprBinary) {
        let operator = bytes(binary.op.span());
        let instead = self.at(operator.start, Change::Binary);
        if !instead.is_empty() && !binds(&binary.left) && !binds(&binary.right) {
            let (left, right) = (bytes(binary.left.span()), bytes(binary.right.span()));
            let range = left.start..right.end;
            self.nodes.push(Node { range, what: What::Binary { left, operator, right, instead } });
        }
        visit::visit_expr_binary(self, binary);
    }

    fn visit_expr_unary(&mut self, unary: &'a syn::ExprUnary) {
        let operator = bytes(unary.op.span());
        if let Some((number, _)) = self.at(operator.start, Change::Unary).into_iter().next() {
            let operand = bytes(unary.expr.span());
            let range = operator.start..operand.end;
            self.nodes.push(Node { range, what: What::Unary { operand, number } });
        }
        visit::visit_expr_unary(self, unary);
    }

    fn visit_expr_struct(&mut self, found: &'a syn::ExprStruct) {
        for field in found.fields.iter().filter(|field| field.attrs.is_empty()) {
            let (range, value) = (bytes(field.span()), bytes(field.expr.span()));
            let changed = self.at(range.start, Change::Field).into_iter().next();
            if let (Some((number, _)), Some(base), syn::Member::Named(name)) = (changed, &found.rest, &field.member) {
                let what = What::Field { name: name.to_string(), value, base: bytes(base.span()), number };
                self.nodes.push(Node { range, what });
            }
        }
        visit::visit_expr_struct(self, found);
    }

    fn visit_expr_match(&mut self, found: &'a syn::ExprMatch) {
        let rest = found.arms.iter().position(takes_all);
        for (at, arm) in found.arms.iter().enumerate() {
            self.arm(arm, rest.is_some_and(|rest| rest != at));
        }
        visit::visit_expr_match(self, found);
    }
}

/// Whether an arm takes whatever comes.
fn takes_all(arm: &syn::Arm) -> bool {
    let takes_all = match &arm.pat {
        syn::Pat::Wild(_) => true,
        // A name with a capital letter is that of a variant or a constant.
        syn::Pat::Ident(name) => name.subpat.is_none() && name.ident.to_string().starts_with(char::is_lowercase),
        _ => false,
    };
    takes_all && arm.guard.is_none()
}

impl Finder<'_> {
    /// An arm that can be passed over, if another one takes what it leaves.
    fn arm(&mut self, arm: &syn::Arm, removable: bool) {
        let removed = if removable { self.at(bytes(arm.span()).start, Change::Arm) } else { Vec::new() };
        let end = bytes(arm.pat.span()).end;
        let numbers: Vec<usize> = removed.iter().map(|(number, _)| *number).collect();
        let kept: Vec<String> = numbers.iter().map(|number| format!("!{ACTIVE}({number})")).collect();
        let kept = kept.join(" && ");
        match &arm.guard {
            None if !numbers.is_empty() => {
                let text = format!(" if {kept} ");
                self.nodes.push(Node { range: end..end, what: What::Insert { numbers, text } });
            }
            None => {}
            Some((word, guard)) => {
                if !numbers.is_empty() && !binds(guard) {
                    let place = bytes(word.span()).end;
                    let text = format!(" {kept} && ");
                    self.nodes.push(Node { range: place..place, what: What::Insert { numbers, text } });
                }
                let range = bytes(guard.span());
                let instead = self.at(range.start, Change::Guard);
                if !instead.is_empty() && !binds(guard) {
                    self.nodes.push(Node { range, what: What::Guard { instead } });
                }
            }
        }
    }
}

/// A source with nodes in it.
struct Text<'a> {
    source: &'a str,
    nodes: &'a [Node],
}

impl Text<'_> {
    /// What stands in a range, with all that is planted in it.
    fn planted(&self, range: Range<usize>) -> String {
        self.inside(range, 0)
    }

    /// The same with nodes from a place in the list on.
    fn inside(&self, range: Range<usize>, from: usize) -> String {
        let mut text = String::new();
        let mut place = range.start;
        let mut next = from;
        while next < self.nodes.len() && self.nodes[next].range.start <= range.end {
            let node = &self.nodes[next];
            if node.range.start >= place && node.range.end <= range.end && node.range.start >= range.start {
                text += &self.source[place..node.range.start];
                text += &self.node(next);
                place = node.range.end;
            }
            next += 1;
            // What is inside the node was written with it.
            while next < self.nodes.len() && self.nodes[next].range.start < place {
                next += 1;
            }
        }
        text + &self.source[place..range.end]
    }

    fn node(&self, at: usize) -> String {
        let node = &self.nodes[at];
        let source = |range: &Range<usize>| &self.source[range.clone()];
        let inner = |range: &Range<usize>| self.inside(range.clone(), at + 1);
        match &node.what {
            What::Insert { text, .. } => text.clone(),
            What::Binary { left, operator, right, instead } => {
                let branch = |other: &str| format!("({}) {other} ({})", source(left), source(right));
                let own = format!("({}) {} ({})", inner(left), source(operator), inner(right));
                branches(instead.iter().map(|(number, other)| (*number, branch(other))), &own)
            }
            What::Unary { operand, number } => {
                let operator = &self.source[node.range.start..operand.start];
                let own = format!("{operator}({})", inner(operand));
                branches([(*number, format!("({})", source(operand)))].into_iter(), &own)
            }
            What::Guard { instead } => branches(instead.iter().cloned(), &inner(&node.range)),
            What::Field { name, value, base, number } => {
                let instead = (*number, format!("({}).{name}", source(base)));
                format!("{name}: {}", branches([instead].into_iter(), &inner(value)))
            }
        }
    }
}

/// `(if active(7) { … } else { … })`
fn branches(instead: impl Iterator<Item = (usize, String)>, own: &str) -> String {
    let branch = |(number, text): (usize, String)| format!("if {ACTIVE}({number}) {{ {text} }} else ");
    format!("({}{{ {own} }})", instead.map(branch).collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mutant(number: usize, change: Change, (line, column): (usize, usize), replacement: &str) -> Mutant {
        let name = String::new();
        Mutant { number, file: String::new(), name, change, line, column, replacement: replacement.into() }
    }

    fn check(source: &str, mutants: &[Mutant], expected: &str) {
        let (planted, numbers) = plant(source, &mutants.iter().collect::<Vec<_>>()).unwrap();
        let plain = |text: &str| text.replace(ACTIVE, "m").split_whitespace().collect::<Vec<_>>().join(" ");
        assert_eq!(plain(&planted), plain(expected));
        assert_eq!(numbers.len(), mutants.len());
    }

    #[test]
    fn operators_are_chosen_and_inner_ones_stay() {
        check(
            "fn f(a: u8) -> bool { a + 1 < 3 }",
            &[mutant(1, Change::Binary, (1, 29), ">"), mutant(2, Change::Binary, (1, 25), "-")],
            "fn f(a: u8) -> bool { (if m(1) { (a + 1) > (3) } else { ((if m(2) { (a) - (1) } else { (a) + (1) })) < (3) }) }",
        );
    }

    #[test]
    fn bodies_arms_and_guards_are_chosen() {
        check(
            "fn f(a: u8) -> bool { match a { 1 => true, 2 if !g() => false, _ => true } }",
            &[
                mutant(1, Change::Body, (1, 21), "false"),
                mutant(2, Change::Arm, (1, 33), ""),
                mutant(3, Change::Guard, (1, 49), "true"),
                mutant(4, Change::Unary, (1, 49), ""),
                mutant(5, Change::Arm, (1, 44), ""),
            ],
            "fn f(a: u8) -> bool { if m(1) { return false; } match a { 1 if !m(2) => true, \
             2 if !m(5) && (if m(3) { true } else { (if m(4) { (g()) } else { !(g()) }) }) => false, _ => true } }",
        );
    }

    #[test]
    fn fields_can_be_those_of_the_base() {
        check(
            "fn f(a: u8, c: C) -> C { C { a, b: a + 1, ..c } }",
            &[mutant(1, Change::Field, (1, 30), ""), mutant(2, Change::Field, (1, 33), "")],
            "fn f(a: u8, c: C) -> C { C { a: (if m(1) { (c).a } else { a }), b: (if m(2) { (c).b } else { a + 1 }), ..c } }",
        );
    }

    #[test]
    fn what_binds_names_is_left_alone() {
        let source = "fn f(a: Option<u8>) -> bool { if let Some(b) = a && b > 1 { true } else { false } }";
        let mutants = [mutant(1, Change::Binary, (1, 50), "||")];
        assert_eq!(plant(source, &mutants.iter().collect::<Vec<_>>()).unwrap(), (source.to_string(), vec![]));
    }
}
