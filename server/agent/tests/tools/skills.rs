//! Skills that the model invokes, and the files that come with them.

use std::path::PathBuf;
use std::sync::Arc;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use serde_json::{Value, json};
use skills_agent::tools::{NotInvoked, OfferedSkill, Skills, ToolContext, of_skills};

use crate::host::{Bench, write};

/// `plain` asks for nothing, `guarded` for tools.
struct Two(PathBuf);

impl Skills for Two {
    fn forks(&self, _: &str) -> bool {
        false
    }

    fn find(&self, name: &str) -> Result<OfferedSkill, NotInvoked> {
        let wants = match name {
            "plain" => Vec::new(),
            "guarded" => vec!["allowed-tools: Bash".into()],
            _ => return Err(NotInvoked::Failed(format!("unknown skill {name:?}"))),
        };
        Ok(OfferedSkill { wants })
    }

    fn folder(&self, _: &str) -> Result<PathBuf, NotInvoked> {
        Ok(self.0.clone())
    }

    fn invoke<'a>(
        &'a self,
        _: &'a ToolContext,
        name: &'a str,
        args: &'a str,
    ) -> BoxFuture<'a, Result<String, NotInvoked>> {
        async move { Ok(format!("{name} of {args}")) }.boxed()
    }
}

async fn call(bench: &Bench, tool: &str, input: Value) -> Result<String, String> {
    let skills: Arc<dyn Skills> = Arc::new(Two(bench.outside("skill")));
    let tools = of_skills(&skills);
    let tool = tools.iter().find(|candidate| candidate.spec().name == tool).unwrap();
    let result = tool.run(&bench.context, input).await;
    result.map(|output| output.text).map_err(|error| error.to_string())
}

#[tokio::test]
async fn a_skill_is_invoked_as_its_wishes_allow() {
    let bench = Bench::new(&[]).with_rules(&[], &[], &[]);
    let plain = json!({"name": "plain", "arguments": "x"});
    assert_eq!(call(&bench, "skill", plain).await.unwrap(), "plain of x");
    assert!(bench.asked().is_empty());
    let guarded = json!({"skill": "guarded"});
    let refusal = call(&bench, "skill", guarded.clone()).await.unwrap_err();
    assert!(refusal.contains("was not allowed"), "{refusal}");
    bench.answer(&["allow"]);
    assert!(call(&bench, "skill", guarded).await.is_ok());
    let unknown = call(&bench, "skill", json!({"name": "x"})).await.unwrap_err();
    assert_eq!(unknown, "unknown skill \"x\"");
}

#[tokio::test]
async fn only_files_of_the_skill_are_read() {
    let bench = Bench::new(&[]);
    write(&bench.outside("skill/references/a.md"), "text\n");
    write(&bench.outside("skill/.env"), "KEY=x\n");
    write(&bench.outside("secret.md"), "secret\n");
    #[cfg(unix)]
    std::os::unix::fs::symlink(bench.outside("secret.md"), bench.outside("skill/link.md")).unwrap();
    let read = async |path: &str| call(&bench, "read_skill_file", json!({"skill": "plain", "path": path})).await;
    assert_eq!(read("references/a.md").await.unwrap(), "text\n");
    for path in ["../secret.md", "link.md", "references", ".env", "none.md", ""] {
        assert!(read(path).await.is_err(), "{path}");
    }
    assert!(read(bench.outside("secret.md").to_str().unwrap()).await.is_err());
}

#[tokio::test]
async fn rules_about_reading_reach_the_files_of_skills() {
    for (deny, is_read) in [
        ("Read", false),
        ("Bash", true),
        ("Read(//**/secret.md)", false),
        ("Read(//**/other.md)", true),
        ("Read(secret.md)", false),
    ] {
        let bench = Bench::new(&[]).with_rules(&[deny], &[], &[]);
        write(&bench.outside("skill/secret.md"), "key");
        let input = json!({"skill": "plain", "path": "secret.md"});
        let read = call(&bench, "read_skill_file", input).await;
        assert_eq!(read.is_ok(), is_read, "{deny}: {read:?}");
    }
}
