//! Signatures and seals: what shows who made a release, and that nothing does without them.

use crate::support::Folder;
use crate::support::publishing::*;
use serde_json::Value;
use std::process::{Command, Stdio};

const USAGE: i32 = 2;
const GATE: i32 = 5;
const IO: i32 = 7;

const SIGNATURE: &str = "release/certificate.json.sig";
const BY_KEY: &str = "signature by the key given";

/// What a summary must say where nothing shows who made the release.
const UNPROVEN: &str = "Authenticity: unproven. Nothing here shows who made this release: a forger could have made all \
                        of it, certificate included. Ask the publisher for the seal or a public key";

/// A folder with the patients, their plan, and two pairs of keys: `key` and `other`.
fn with_keys() -> Folder {
    let folder = patients(SUPPRESSING);
    for name in ["key", "other"] {
        folder.run(&format!("keygen {name}")).code(0);
    }
    folder
}

/// The same, with a release that `key` signed.
fn signed() -> Folder {
    let folder = with_keys();
    folder.run("publish plan.toml --out release --sign key").code(0);
    folder
}

fn fingerprint(folder: &Folder) -> String {
    let found = folder.json("verify release --key key.pub --json", 0);
    found["authenticity"].as_str().unwrap().strip_prefix("signed by ").unwrap().to_string()
}

/// One claim of a verification: whether it holds, and what was found.
fn claim(found: &Value, name: &str) -> (Option<bool>, String) {
    let claims = found["claims"].as_array().unwrap();
    let one = claims.iter().find(|claim| claim["claim"] == name).unwrap_or_else(|| panic!("no {name:?} in {found:#}"));
    (one["holds"].as_bool(), one["detail"].as_str().unwrap().to_string())
}

/// Verification fails by this claim alone, for programs and for people, and proves nothing.
fn assert_refused(folder: &Folder, arguments: &str, name: &str, detail: &str) {
    let found = folder.json(&format!("verify release {arguments} --json"), GATE);
    assert_eq!((&found["holds"], &found["authenticity"]), (&false.into(), &"unproven".into()), "{found:#}");
    let failed = found["claims"].as_array().unwrap().iter().filter(|claim| claim["holds"] == false);
    assert_eq!(failed.map(|claim| claim["claim"].as_str().unwrap()).collect::<Vec<_>>(), [name]);
    assert!(claim(&found, name).1.contains(detail), "{found:#}");
    let text = folder.output(&format!("verify release {arguments}"), GATE);
    for part in [&format!("✗ {name}: "), "do not rely on this release", UNPROVEN] {
        assert!(text.contains(part), "{part:?} is not in\n{text}");
    }
}

// Keys

#[test]
fn keygen_says_what_to_do_with_which_file() {
    let folder = Folder::new(&[]);
    let text = folder.output("keygen key", 0);
    for part in ["Private key: key\n", "--sign key", "Public key:  key.pub\n", "--key key.pub", "Fingerprint: SHA256:"]
    {
        assert!(text.contains(part), "{part:?} is not in\n{text}");
    }
    let document = folder.json("keygen more --json", 0);
    assert_eq!((&document["private"], &document["public"]), (&"more".into(), &"more.pub".into()));
    assert!(document["fingerprint"].as_str().unwrap().starts_with("SHA256:"));
    assert_eq!(names(&folder, ""), ["key", "key.pub", "more", "more.pub"]);
}

#[test]
fn keygen_never_overwrites() {
    let folder = with_keys();
    refuse(&folder, "keygen key", USAGE, &["key: is there already", "never overwritten", "help:"]);
    std::fs::remove_file(folder.path("key")).unwrap();
    refuse(&folder, "keygen key", USAGE, &["key.pub: is there already"]);
    refuse(&folder, "keygen none/key", IO, &["none/key", "folder does not exist"]);
    refuse(&folder, "keygen new.pub", USAGE, &["new.pub", "name a file for the private key"]);
    folder.run("publish plan.toml --out release").code(0);
    refuse(&folder, "keygen release/key", USAGE, &["its folder is a release"]);
}

#[cfg(unix)]
#[test]
fn only_the_owner_can_read_a_private_key_and_others_are_refused() {
    use std::os::unix::fs::PermissionsExt;
    let folder = with_keys();
    assert_eq!(folder.path("key").metadata().unwrap().permissions().mode() & 0o777, 0o600);
    std::fs::set_permissions(folder.path("key"), PermissionsExt::from_mode(0o644)).unwrap();
    refuse(
        &folder,
        "publish plan.toml --out release --sign key",
        USAGE,
        &["key: others can read", "0644", "chmod 600"],
    );
}

#[test]
fn a_key_that_cannot_sign_is_refused_before_any_work() {
    let folder = with_keys();
    folder.write("plan.toml", "broken");
    // The plan would be refused, too: the key is looked at first.
    let publish = |key: &str| format!("publish plan.toml --out release --sign {key}");
    refuse(&folder, &publish("none"), IO, &["none: no such file"]);
    for (file, part) in [("key.pub", "is a public key"), ("plan.toml", "is not an Ed25519 private key")] {
        set_private(&folder, file);
        refuse(&folder, &publish(file), USAGE, &[file, part, "help:"]);
    }
    refuse(&folder, &publish("key"), USAGE, &["plan.toml"]);
}

#[cfg(unix)]
fn set_private(folder: &Folder, file: &str) {
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(folder.path(file), PermissionsExt::from_mode(0o600)).unwrap();
}

#[cfg(not(unix))]
fn set_private(_: &Folder, _: &str) {}

#[test]
fn the_private_key_is_neither_printed_nor_published() {
    let folder = with_keys();
    let private = std::fs::read_to_string(folder.path("key")).unwrap();
    let secret: Vec<&str> = private.lines().filter(|line| !line.starts_with("-----")).collect();
    let mut seen = Vec::new();
    for arguments in [
        "keygen third",
        "publish plan.toml --out release --sign key",
        "publish plan.toml --out release --replace --sign key --json",
        "verify release --key key.pub",
        "verify release --key key.pub --json",
        "publish plan.toml --out release --sign key",
    ] {
        let run = folder.run(arguments);
        seen.extend([run.get_output().stdout.clone(), run.get_output().stderr.clone()]);
    }
    // A private key in place of a public one is refused, and not shown either.
    let run = folder.run("verify release --key key").code(USAGE);
    assert!(String::from_utf8_lossy(&run.get_output().stderr).contains("key: is a private key"));
    seen.extend([run.get_output().stdout.clone(), run.get_output().stderr.clone()]);
    seen.extend(names(&folder, "release").iter().map(|name| std::fs::read(folder.path("release").join(name)).unwrap()));
    assert!(seen.len() > 15);
    for text in seen {
        let text = String::from_utf8_lossy(&text);
        assert!(!secret.iter().any(|line| text.contains(line)) && !text.contains("PRIVATE KEY-----"), "{text}");
    }
}

// Signatures

#[test]
fn a_signed_release_is_known_by_its_key() {
    let folder = with_keys();
    let text = folder.output("publish plan.toml --out release --sign key", 0);
    let key = fingerprint(&folder);
    assert!(text.ends_with(&format!("Signed:  by {key}\n")), "{text}");
    assert_eq!(names(&folder, "release"), ["certificate.json", "certificate.json.sig", "data.csv", "report.html"]);
    let found = folder.json("verify release --key key.pub --json", 0);
    assert_eq!(claim(&found, BY_KEY), (Some(true), format!("it is by {key}")));
    let text = folder.output("verify release --key key.pub", 0);
    assert!(text.contains(&format!("✓ {BY_KEY}: it is by {key}")), "{text}");
    assert!(text.contains(&format!("Authenticity: signed by {key}.")) && !text.contains("forger"), "{text}");
}

#[test]
fn of_several_keys_one_must_have_signed() {
    let folder = signed();
    let [key, other] = ["key.pub", "other.pub"].map(|name| std::fs::read_to_string(folder.path(name)).unwrap());
    folder.write("both", format!("# the publisher's\n{other}{key}"));
    folder.write("signers", format!("data@hospital.example {key}"));
    folder.write("options", format!("data@hospital.example cert-authority {key}"));
    let found = folder.json("verify release --key both --json", 0);
    assert_eq!(claim(&found, "signature by one of the keys given").0, Some(true));
    assert_eq!(found["authenticity"], format!("signed by {}", fingerprint(&folder)));
    folder.run("verify release --key signers").code(0);
    refuse(&folder, "verify release --key options", USAGE, &["options, line 1: the key has options"]);
    refuse(&folder, "verify release --key plan.toml", USAGE, &["plan.toml, line 1: is not a public key"]);
    refuse(&folder, "verify release --key none", IO, &["none: no such file"]);
}

#[test]
fn a_signature_that_is_missing_or_by_another_key_is_refused() {
    let folder = signed();
    let key = fingerprint(&folder);
    assert_refused(&folder, "--key other.pub", BY_KEY, &format!("it is by another key, {key}"));
    std::fs::remove_file(folder.path(SIGNATURE)).unwrap();
    assert_refused(&folder, "--key key.pub", BY_KEY, "there is no certificate.json.sig");
    folder.run("verify release").code(0);
}

#[test]
fn every_changed_byte_of_a_signature_is_refused() {
    let folder = signed();
    let good = std::fs::read(folder.path(SIGNATURE)).unwrap();
    for at in (0..good.len()).step_by(17).chain([good.len() - 1]) {
        let mut changed = good.clone();
        changed[at] ^= 1;
        folder.write(SIGNATURE, &changed);
        assert_refused(&folder, "--key key.pub", BY_KEY, "it ");
        // A broken signature is found without a key, too.
        assert_refused(&folder, "", "signature", "it ");
    }
    folder.write(SIGNATURE, good);
    folder.run("verify release --key key.pub").code(0);
}

/// A forger can make everything anew but the signature.
#[test]
fn a_release_that_was_made_anew_is_refused() {
    let folder = signed();
    let signature = std::fs::read(folder.path(SIGNATURE)).unwrap();
    let forged = PATIENTS.replace("cold", "cancer");
    folder.write("table.csv", forged);
    folder.run("publish plan.toml --out release --replace").code(0);
    assert_eq!(names(&folder, "release").len(), 3, "the old signature is gone");
    assert_refused(&folder, "--key key.pub", BY_KEY, "there is no");
    folder.write(SIGNATURE, signature);
    assert_refused(&folder, "--key key.pub", BY_KEY, "it is not a signature of this certificate");
    folder.run("publish plan.toml --out release --replace --sign other").code(0);
    assert_refused(&folder, "--key key.pub", BY_KEY, "it is by another key");
    folder.run("verify release").code(0);
}

#[test]
fn a_good_signature_proves_nothing_of_changed_files() {
    let folder = signed();
    let data = released(&folder, "data.csv");
    folder.write("release/data.csv", data.replacen("flu", "cold", 1));
    let found = folder.json("verify release --key key.pub --json", GATE);
    assert_eq!(claim(&found, BY_KEY).0, Some(true));
    assert_eq!(found["authenticity"], "unproven");
    assert!(folder.output("verify release --key key.pub", GATE).contains(UNPROVEN));
}

#[test]
fn something_else_in_place_of_a_signature_is_found() {
    let folder = signed();
    for place in ["a long file", "a folder"] {
        std::fs::remove_file(folder.path(SIGNATURE)).unwrap();
        match place {
            "a folder" => std::fs::create_dir(folder.path(SIGNATURE)).unwrap(),
            _ => folder.write(SIGNATURE, vec![b'x'; 20_000]),
        }
        assert_refused(&folder, "", "no other files", "certificate.json.sig");
        refuse(&folder, "publish plan.toml --out release --replace", USAGE, &["not"]);
    }
}

// Without a key

#[test]
fn without_key_or_seal_nothing_is_proven() {
    let folder = with_keys();
    folder.run("publish plan.toml --out release").code(0);
    assert!(folder.output("verify release", 0).contains(UNPROVEN));
    assert_eq!(folder.json("verify release --json", 0)["authenticity"], "unproven");
    folder.run("publish plan.toml --out release --replace --sign key").code(0);
    let key = fingerprint(&folder);
    let text = folder.output("verify release", 0);
    let line =
        format!("– signature: there is one, by {key}; it proves nothing until you know from elsewhere whose key");
    assert!(text.contains(&line) && text.contains(UNPROVEN), "{text}");
    let found = folder.json("verify release --json", 0);
    assert_eq!((claim(&found, "signature").0, &found["authenticity"]), (None, &"unproven".into()));
}

#[test]
fn the_seal_must_be_the_one_given() {
    let folder = with_keys();
    let seal = publish(&folder)["seal"].as_str().unwrap().to_string();
    for given in [seal.clone(), seal.to_uppercase()] {
        let found = folder.json(&format!("verify release --seal {given} --json"), 0);
        assert_eq!((claim(&found, "seal as given").0, &found["authenticity"]), (Some(true), &"seal as given".into()));
    }
    let text = folder.output(&format!("verify release --seal {seal}"), 0);
    assert!(text.contains("✓ seal as given") && text.contains("Authenticity: seal as given."), "{text}");
    assert!(!text.contains("forger"), "{text}");
    assert_refused(&folder, &format!("--seal {}", "0".repeat(64)), "seal as given", "another one");
    for wrong in [&seal[..63], &seal[..8], &format!("{seal}0"), &seal.replace(&seal[..1], "g")] {
        refuse(&folder, &format!("verify release --seal {wrong}"), USAGE, &["64 hexadecimal digits"]);
    }
}

#[test]
fn a_changed_certificate_that_states_the_seal_is_refused() {
    let folder = with_keys();
    let seal = publish(&folder)["seal"].as_str().unwrap().to_string();
    let text = released(&folder, "certificate.json");
    folder.write("release/certificate.json", text.replacen("\"records\": 13", "\"records\": 12", 1));
    let found = folder.json(&format!("verify release --seal {seal} --json"), GATE);
    assert_eq!(claim(&found, "seal as given").0, Some(false));
}

#[test]
fn key_and_seal_may_be_asked_together_and_both_must_hold() {
    let folder = signed();
    let seal = folder.json("verify release --json", 0)["seal"].as_str().unwrap().to_string();
    let found = folder.json(&format!("verify release --key key.pub --seal {seal} --json"), 0);
    assert_eq!(found["authenticity"], format!("signed by {}", fingerprint(&folder)));
    assert_eq!(claim(&found, "seal as given").0, Some(true));
    assert_refused(&folder, &format!("--key key.pub --seal {}", "0".repeat(64)), "seal as given", "");
    assert_refused(&folder, &format!("--key other.pub --seal {seal}"), BY_KEY, "another key");
}

// Beside other commands

#[test]
fn transactions_are_signed_and_refused_alike() {
    let folder = with_keys();
    folder.write("data.dat", "bread milk wine\nbread milk\nmilk wine\nflour fruits\nbread fruits\nflour milk\n");
    let data = "[data]\nkind = \"transactions\"\npath = \"data.dat\"\nsensitive = { items = [\"wine\"] }\n";
    folder.write("plan.toml", format!("{data}[[require]]\ncriterion = \"rho-uncertainty\"\nrho = \"0.6\"\n"));
    folder.run("publish plan.toml --out release --sign key").code(0);
    assert!(names(&folder, "release").contains(&"certificate.json.sig".to_string()));
    fingerprint(&folder);
    assert_refused(&folder, "--key other.pub", BY_KEY, "another key");
    folder.run("publish plan.toml --out release --replace --sign other").code(0);
    folder.run("verify release --key other.pub").code(0);
    folder.run("attack release").code(0);
    folder.run("compare release").code(0);
}

#[test]
fn signed_releases_are_replaced_attacked_and_compared_like_others() {
    let folder = signed();
    for arguments in ["--sign key", "", "--sign other"] {
        folder.run(&format!("publish plan.toml --out release --replace {arguments}")).code(0);
        assert_eq!(names(&folder, "release").contains(&"certificate.json.sig".to_string()), !arguments.is_empty());
        folder.run("attack release").code(0);
        assert_eq!(folder.json("compare release --json", 0)["do_not_verify"], serde_json::json!([]));
    }
    folder.run("verify release --key other.pub").code(0);
}

#[test]
fn same_plan_data_and_key_same_bytes() {
    let folder = signed();
    let first = std::fs::read(folder.path(SIGNATURE)).unwrap();
    folder.run("publish plan.toml --out release --replace --sign key").code(0);
    assert_eq!(std::fs::read(folder.path(SIGNATURE)).unwrap(), first);
}

#[test]
fn a_release_never_takes_the_place_of_the_key() {
    let folder = signed();
    std::fs::rename(folder.path("key"), folder.path("release/key")).unwrap();
    refuse(&folder, "publish plan.toml --out release --replace --sign release/key", USAGE, &["this run reads"]);
    assert!(folder.path("release/key").exists());
}

/// The commands of the guide, with `ssh-keygen` alone; left out where it is not installed.
#[test]
fn recipients_need_nothing_but_openssh() {
    let folder = signed();
    let key = std::fs::read_to_string(folder.path("key.pub")).unwrap();
    folder.write("signers", format!("publisher {key}"));
    let verify = || {
        let input = std::fs::File::open(folder.path("release/certificate.json")).unwrap();
        let words = "-Y verify -f signers -I publisher -n sfumato-release -s release/certificate.json.sig";
        let mut command = Command::new("ssh-keygen");
        command.args(words.split(' ')).current_dir(folder.path("")).stdin(input);
        command.stdout(Stdio::null()).stderr(Stdio::null()).status()
    };
    let Ok(status) = verify() else {
        eprintln!("skipped: ssh-keygen is not installed");
        return;
    };
    assert!(status.success());
    folder.write("release/certificate.json", released(&folder, "certificate.json") + " ");
    assert!(!verify().unwrap().success());

    // And the other way round: what OpenSSH signs, also with a passphrase or an agent, we verify.
    folder.run("publish plan.toml --out release --replace").code(0);
    let mut sign = Command::new("ssh-keygen");
    sign.args("-q -Y sign -n sfumato-release -f key release/certificate.json".split(' ')).current_dir(folder.path(""));
    assert!(sign.status().unwrap().success());
    folder.run("verify release --key key.pub").code(0);
}
