//! What a column is to an attacker.

use std::fmt;

/// What a column is to an attacker.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// Names a person by itself; never published.
    Identifier,
    /// Can be linked with outside data; made alike within groups.
    Quasi,
    /// What an attacker must not learn.
    Sensitive,
    /// Neither known to attackers nor harmful; kept as it is.
    Insensitive,
}

impl Role {
    /// All roles, in the order in which plans list them.
    pub const ALL: [Role; 4] = [Role::Identifier, Role::Quasi, Role::Sensitive, Role::Insensitive];

    /// The word in plans and reports.
    pub fn name(self) -> &'static str {
        match self {
            Role::Identifier => "identifier",
            Role::Quasi => "quasi",
            Role::Sensitive => "sensitive",
            Role::Insensitive => "insensitive",
        }
    }

    /// The role with this name.
    pub fn find(name: &str) -> Option<Role> {
        Role::ALL.into_iter().find(|role| role.name() == name)
    }
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
