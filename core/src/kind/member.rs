//! A member of a family with its parameters: what a plan, a command line or a certificate asks for.

use super::{Kind, Params, Raw, Setting};
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

    /// The parameters that do not have their defaults, as they could have been written.
    pub fn written(&self) -> Vec<(&'static str, Raw)> {
        let is_default = |name: &str, setting: &Setting| {
            let param = self.kind.params.iter().find(|param| param.name == name);
            param.is_some_and(|param| param.default_setting().as_ref() == Some(setting))
        };
        let own = self.params.iter().filter(|(name, setting)| !is_default(name, setting));
        own.map(|(name, setting)| (name, setting.raw())).collect()
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

impl<B> PartialEq for Member<B> {
    fn eq(&self, other: &Self) -> bool {
        self.kind == other.kind && self.params == other.params
    }
}

impl<B> fmt::Debug for Member<B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct(self.kind.name).field("params", &self.params).finish()
    }
}
