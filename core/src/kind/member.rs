//! A member of a family with its parameters: what a plan, a command line or a certificate asks for.

use super::{Kind, Params, Raw};
use crate::error::Result;
use std::fmt;

/// A member of a family with its parameters.
pub struct Member<B: 'static> {
    /// Which one.
    pub kind: &'static Kind<B>,
    /// Its parameters.
    pub params: Params,
}

impl<B> Member<B> {
    /// A member with parameters as they were written.
    pub fn of(kind: &'static Kind<B>, written: &[(&str, Raw)]) -> Result<Member<B>> {
        Ok(Member { kind, params: kind.check(written)? })
    }

    /// Every member of a family whose parameters all have defaults.
    pub fn defaults(kinds: &[&'static Kind<B>]) -> Vec<Member<B>> {
        kinds.iter().filter_map(|kind| Member::of(kind, &[]).ok()).collect()
    }

    /// Whether every parameter has its default.
    pub fn is_default(&self) -> bool {
        self.kind.check(&[]).is_ok_and(|default| default == self.params)
    }
}

impl<T: ?Sized> Member<fn(&Params) -> Box<T>> {
    /// The member itself.
    pub fn build(&self) -> Box<T> {
        (self.kind.build)(&self.params)
    }
}

// Derived ones would ask the same of whatever builds the member.
impl<B> Clone for Member<B> {
    fn clone(&self) -> Self {
        Member { kind: self.kind, params: self.params.clone() }
    }
}

/// Members of one family are told apart by their names.
impl<B> PartialEq for Member<B> {
    fn eq(&self, other: &Self) -> bool {
        self.kind.name == other.kind.name && self.params == other.params
    }
}

impl<B> fmt::Debug for Member<B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct(self.kind.name).field("params", &self.params).finish()
    }
}
