//! Where blocks and files lie, and what has been edited.

use super::*;

const FILES: &[Embedded] =
    &[("b/b.sv", b"module b"), ("b/c.svh", b"c"), ("b/README.md", b"rules"), ("d/d.sv", b"d")];

#[test]
fn files_that_differ_from_the_program_are_named() {
    let folder = files::Folder::new().unwrap();
    let path = folder.path();
    fs::create_dir(path.join("b")).unwrap();
    let edited = || {
        let mut found = Vec::new();
        compare(path, "b", FILES, &mut found);
        found.sort();
        found
    };
    let is = |name: &str, what: &str| format!("{} {what}", path.join(name).display());
    for (name, text) in [("b.sv", "module b"), ("c.svh", "c"), ("README.md", "other rules")] {
        fs::write(path.join("b").join(name), text).unwrap();
    }
    assert!(edited().is_empty());
    fs::write(path.join("b/b.sv"), "module b2").unwrap();
    fs::write(path.join("b/new.sv"), "").unwrap();
    fs::remove_file(path.join("b/c.svh")).unwrap();
    assert_eq!(
        edited(),
        [
            is("b/b.sv", "has been edited"),
            is("b/c.svh", "is missing"),
            is("b/new.sv", "is not in the program")
        ]
    );
}

#[test]
fn folder_needs_rtl_and_no_common() {
    let folder = files::Folder::new().unwrap();
    assert!(!has_rtl(folder.path()));
    fs::create_dir(folder.path().join("b")).unwrap();
    fs::write(folder.path().join("b/README.md"), "").unwrap();
    assert!(!has_rtl(folder.path()));
    fs::write(folder.path().join("b/b.sv"), "").unwrap();
    assert!(has_rtl(folder.path()));
}

/// `<block>` and `<family>/<block>`, with what the family shares; but not both.
#[test]
fn block_lies_in_one_place() {
    let folder = files::Folder::new().unwrap();
    let root = folder.path();
    for (path, text) in [
        ("common/a.sv", "a"),
        ("family/b/b.sv", "b"),
        ("family/b/part.svh", "part"),
        ("family/b/README.md", "rules of b"),
        ("family/family_pkg.sv", "package"),
        ("family/c/c.sv", "c"),
        ("d/d.sv", "d"),
    ] {
        let path = root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    let sources = Sources::of_folder(root.to_path_buf(), Origin::Own);
    let paths = |block| {
        let files = sources.of_block(block)?;
        Ok::<Vec<_>, String>(files.into_iter().map(|file| file.path).collect())
    };
    let own = ["common/a.sv", "family/b/b.sv", "family/b/part.svh", "family/family_pkg.sv"];
    assert_eq!(paths("b").unwrap(), own);
    assert_eq!(sources.readme("b").unwrap(), "rules of b");
    assert_eq!(paths("d").unwrap(), ["common/a.sv", "d/d.sv"]);
    assert!(paths("e").unwrap_err().ends_with(": has no e/e.sv"));
    fs::write(root.join("d/a.sv"), "another a").unwrap();
    let problem = paths("d").unwrap_err();
    assert!(problem.ends_with(": a.sv lies in common and in d"), "{problem}");
    fs::create_dir(root.join("b")).unwrap();
    let problem = paths("b").unwrap_err();
    assert!(problem.ends_with(": b lies in b and in family/b"), "{problem}");
}

/// What a crate embeds and what duet embeds.
#[test]
fn block_and_file_lie_in_one_crate() {
    static OWN: &[Embedded] = &[("b/b.sv", b"own b"), ("family/p_pkg.sv", b"own p")];
    let duet: &[Embedded] =
        &[("family/b/b.sv", b"b"), ("family/c/c.sv", b"c"), ("family/p_pkg.sv", b"p")];
    CHOICE.write().unwrap().origins.push(("/crate/rtl", OWN));
    let embedded = [OWN, duet].concat();
    let sources = Sources { folder: None, named: None, embedded, origin: Origin::Own };
    let problem = |block| sources.of_block(block).unwrap_err();
    assert_eq!(problem("b"), "b lies in /crate/rtl/b/b.sv and in rtl/family/b/b.sv of duet");
    assert_eq!(
        problem("c"),
        "a file lies in /crate/rtl/family/p_pkg.sv and in rtl/family/p_pkg.sv of duet"
    );
}
