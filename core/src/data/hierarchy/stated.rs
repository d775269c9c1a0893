//! A rule together with what a plan says for it, so that plans can be written back.

use super::{Build, Ladder, Rule, Ruler};
use crate::data::{Column, Dictionary};
use crate::error::Result;
use crate::kind::Member;
use std::path::Path;

/// A rule that was made from a member of the family.
pub(super) struct Stated {
    member: Member<Build>,
    rule: Box<dyn Rule>,
}

impl Stated {
    pub fn new(member: Member<Build>, folder: &Path) -> Result<Stated> {
        let rule = (member.kind.build.make)(&member.params, folder)?;
        Ok(Stated { member, rule })
    }
}

impl Rule for Stated {
    fn ladder(&self, column: &Column) -> Result<Ladder> {
        self.rule.ladder(column)
    }

    fn makes(&self, label: &str) -> bool {
        self.rule.makes(label)
    }

    fn span(&self, level: usize, first: &str, last: &str) -> Option<String> {
        self.rule.span(level, first, last)
    }

    fn goes_by_order(&self) -> bool {
        self.rule.goes_by_order()
    }

    fn file(&self) -> Option<&Path> {
        self.rule.file()
    }

    fn stated(&self) -> Option<&Member<Build>> {
        Some(&self.member)
    }

    fn is_capped(&self) -> bool {
        self.rule.is_capped()
    }

    fn ruler(&self, published: &Dictionary, level: Option<usize>) -> Option<Ruler> {
        self.rule.ruler(published, level)
    }
}
