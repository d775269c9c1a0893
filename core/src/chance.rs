//! Where random choices come from. Those that are a defence come from the operating system; a seed
//! makes them repeatable, and whoever knows it undoes the defence.

use crate::error::{Error, Fault, Result};
use rand::SeedableRng;
use rand::rngs::SysRng;
use rand_chacha::ChaCha20Rng;

/// A source of random choices.
///
/// ```
/// use rand::Rng;
/// use sfumato::chance::Chance;
///
/// let seeded = Chance::insecure(7);
/// assert_eq!(seeded.generator(1)?.next_u64(), seeded.generator(1)?.next_u64());
/// assert_ne!(Chance::System.generator(1)?.next_u64(), Chance::System.generator(1)?.next_u64());
/// # Ok::<(), sfumato::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Chance {
    /// The operating system's generator.
    #[default]
    System,
    /// A seed: for experiments, not for release.
    Insecure(u64),
}

impl Chance {
    /// Choices that can be repeated by anybody who knows the seed.
    pub fn insecure(seed: u64) -> Chance {
        Chance::Insecure(seed)
    }

    /// Whether nobody can repeat the choices.
    pub fn is_secure(self) -> bool {
        self == Chance::System
    }

    /// A generator for one purpose; purposes have different numbers, so that seeded ones do not
    /// repeat each other.
    pub fn generator(self, purpose: u64) -> Result<ChaCha20Rng> {
        match self {
            Chance::System => ChaCha20Rng::try_from_rng(&mut SysRng).map_err(|_| {
                let error = Error::new(Fault::Resources, "the operating system gives no random numbers");
                error.help("random choices are a defence here: nothing is published without them")
            }),
            Chance::Insecure(seed) => {
                let mut generator = ChaCha20Rng::seed_from_u64(seed);
                generator.set_stream(purpose);
                Ok(generator)
            }
        }
    }
}
