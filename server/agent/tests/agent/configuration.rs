//! Which model the settings, the environment, a skill and a person mean together, and where its key comes from.

use std::io::Write as _;

use skills_agent::model::choice::Chooser;
use skills_agent::model::{Choice, Effort, ModelSettings};

use crate::endpoint::{Endpoint, Reply, request, told};

/// Settings, an environment, and how the label or the error begins.
type Case<'a> = (ModelSettings, &'a [(&'a str, &'a str)], &'a str);

#[tokio::test]
async fn settings_mean_a_model() {
    let settings = |provider: &str, name: &str| ModelSettings {
        provider: Some(provider.into()),
        name: (!name.is_empty()).then(|| name.into()),
        ..ModelSettings::default()
    };
    let mut recording = tempfile::NamedTempFile::new().unwrap();
    writeln!(recording, "=== 1").unwrap();
    let recording = recording.path().to_str().unwrap();
    let cases: &[Case] = &[
        (ModelSettings::default(), &[], "anthropic claude-sonnet-4-5"),
        (
            settings("anthropic", "x"),
            &[("ANTHROPIC_BASE_URL", "http://u:p@h/a/")],
            "anthropic x at http://h/a",
        ),
        (
            settings("anthropic", "x"),
            &[("SKILLS_LS_MODEL_NAME", "y")],
            "anthropic y",
        ),
        (
            ModelSettings {
                base_url: Some("http://set".into()),
                ..ModelSettings::default()
            },
            &[("ANTHROPIC_BASE_URL", "http://h/")],
            "anthropic claude-sonnet-4-5 at http://set",
        ),
        (
            ModelSettings {
                base_url: Some("http://set".into()),
                ..ModelSettings::default()
            },
            &[("SKILLS_LS_MODEL_BASE_URL", "http://ours")],
            "anthropic claude-sonnet-4-5 at http://ours",
        ),
        (
            settings("anthropic", ""),
            &[("SKILLS_LS_MODEL_PROVIDER", "replay")],
            "error: the provider `replay` needs",
        ),
        (settings("replay", recording), &[], "replay (recorded, no model)"),
        (
            settings("replay", "/nowhere/x"),
            &[],
            "error: can't read the recording /nowhere/x",
        ),
        (
            settings("openia", ""),
            &[],
            "error: model.provider is `openia`; known are `anthropic`, `openai`, `openai-responses`, `editor`, `replay`",
        ),
        (settings("openai", ""), &[], "openai gpt-5"),
        (
            settings("openai", "qwen3"),
            &[("OPENAI_BASE_URL", "http://localhost:11434/v1/")],
            "openai qwen3 at http://localhost:11434",
        ),
        (settings("openai-responses", ""), &[], "openai-responses gpt-5"),
        (settings("anthropic", "opus"), &[], "anthropic claude-opus-5"),
        (
            ModelSettings {
                effort: Effort::of("xhigh"),
                ..ModelSettings::default()
            },
            &[],
            "anthropic claude-sonnet-4-5 (xhigh)",
        ),
        (
            settings("editor", ""),
            &[],
            "error: model.provider is `editor`, but this editor lends no model",
        ),
        (
            ModelSettings {
                api_key_command: Some("'".into()),
                ..ModelSettings::default()
            },
            &[],
            "error: model.apiKeyCommand is no command line",
        ),
    ];
    for (settings, environment, expected) in cases {
        let environment = |name: &str| {
            environment
                .iter()
                .find(|(n, _)| *n == name)
                .map(|(_, value)| value.to_string())
        };
        let model = settings.resolve(&environment, &[]).0.model(&environment, None);
        let label = model.map_or_else(|error| format!("error: {error}"), |model| model.label());
        assert!(label.starts_with(expected), "{label}");
    }
}

#[tokio::test]
async fn the_key_comes_from_the_configured_place_and_shows_nowhere() {
    let replies = [(); 2].map(|()| Reply::status(401, "", "no sk-mine-indeed here"));
    let endpoint = Endpoint::start(replies).await;
    let environment = |name: &str| (name == "MINE").then(|| "sk-mine-indeed".to_owned());
    let from_variable = ModelSettings {
        base_url: Some(endpoint.url.clone()),
        api_key_env: Some("MINE".into()),
        ..ModelSettings::default()
    };
    let from_command = ModelSettings {
        api_key_command: Some("echo 'sk-mine-indeed'".into()),
        ..from_variable.clone()
    };
    for settings in [from_variable, from_command] {
        let model = settings.model(&environment, None).unwrap();
        let told = told(&*model, request()).await;
        assert!(told[0].ends_with("(401 no *** here)"), "{told:#?}");
    }
    for arrived in endpoint.arrived() {
        assert!(arrived.head.contains("x-api-key: sk-mine-indeed"), "{}", arrived.head);
    }
}

#[tokio::test]
async fn an_endpoint_on_this_machine_needs_no_key() {
    for (provider, header) in [("anthropic", "x-api-key"), ("openai", "authorization")] {
        let endpoint = Endpoint::start([Reply::status(401, "", "who are you?")]).await;
        let settings = ModelSettings {
            provider: Some(provider.into()),
            base_url: Some(endpoint.url.clone()),
            ..ModelSettings::default()
        };
        let told = told(&*settings.model(&|_| None, None).unwrap(), request()).await;
        assert!(told[0].contains("wants a key: set "), "{told:#?}");
        assert!(!endpoint.arrived()[0].head.contains(header));
    }
}

#[test]
fn the_last_choice_counts_and_what_cannot_be_had_is_said() {
    let by_person = |model: &str, effort: &str| Choice::by_person(Some(model.into()), Some(effort.into()));
    let by_skill = |model: &str, effort: &str| Choice {
        by: Chooser::Skill("deploy".into()),
        ..by_person(model, effort)
    };
    let of = |provider: &str, name: &str| ModelSettings {
        provider: Some(provider.into()),
        name: Some(name.into()),
        base_url: Some("http://mine".into()),
        api_key_env: Some("MINE".into()),
        ..ModelSettings::default()
    };
    let openai = ModelSettings {
        base_url: None,
        ..of("openai", "gpt-5")
    };
    // Settings, choices, the model and effort, and whether the endpoint and the key are still the settings' own.
    let cases = [
        (of("anthropic", "x"), vec![], "anthropic x -", true, ""),
        (
            of("anthropic", "x"),
            vec![by_skill("inherit", "")],
            "anthropic x -",
            true,
            "",
        ),
        (
            of("anthropic", "x"),
            vec![by_skill("opus", "high")],
            "anthropic claude-opus-5 high",
            true,
            "",
        ),
        (
            of("anthropic", "x"),
            vec![
                by_person("haiku", "low"),
                by_skill("sonnet", "inherit"),
                by_person("y", "max"),
            ],
            "anthropic y max",
            true,
            "",
        ),
        (
            of("anthropic", "x"),
            vec![by_person("haiku", "2000"), by_skill("default", "")],
            "anthropic x 2000",
            true,
            "",
        ),
        (
            of("openai", "qwen3"),
            vec![by_skill("opus", "low")],
            "openai qwen3 low",
            true,
            "the skill deploy asks for the model `opus`, which openai does not have",
        ),
        (
            openai.clone(),
            vec![by_skill("claude-opus-5", "")],
            "openai gpt-5 -",
            true,
            "which openai does not have",
        ),
        // A gateway has the models of many.
        (
            of("openai", "x"),
            vec![by_skill("claude-opus-5", "")],
            "openai claude-opus-5 -",
            true,
            "",
        ),
        (
            of("replay", "file"),
            vec![by_skill("gpt-5", "")],
            "replay file -",
            true,
            "",
        ),
        (
            of("anthropic", "x"),
            vec![by_person("openai:gpt-5", "")],
            "openai gpt-5 -",
            false,
            "",
        ),
        (
            of("anthropic", "x"),
            vec![by_person("editor:", "")],
            "editor - -",
            false,
            "",
        ),
        (
            of("openai", "x"),
            vec![by_person("llama3:8b", "")],
            "openai llama3:8b -",
            true,
            "",
        ),
        // Back at the settings' provider, its endpoint and key are back too.
        (
            of("anthropic", "x"),
            vec![by_person("openai:gpt-5", "low"), by_skill("default", "")],
            "anthropic x low",
            true,
            "",
        ),
        (
            of("anthropic", "x"),
            vec![by_person("openai:", ""), by_person("anthropic:opus", "")],
            "anthropic claude-opus-5 -",
            true,
            "",
        ),
        // A skill chooses no provider: its file may have come with the repository.
        (
            of("openai", "x"),
            vec![by_skill("anthropic:opus", "")],
            "openai anthropic:opus -",
            true,
            "",
        ),
        (
            of("anthropic", "x"),
            vec![by_skill("", "extreme")],
            "anthropic x -",
            true,
            "the skill deploy asks for the effort `extreme`, which there is none of: write low, medium, high, xhigh, max",
        ),
    ];
    for (settings, choices, expected, is_same_place, note) in cases {
        let (resolved, notes) = settings.resolve(&|_| None, &choices);
        let effort = resolved
            .effort
            .map_or_else(|| "-".to_owned(), |effort| effort.to_string());
        let name = resolved.name.as_deref().unwrap_or("-");
        assert_eq!(format!("{} {name} {effort}", resolved.provider()), expected);
        assert_eq!(
            (&resolved.base_url, &resolved.api_key_env) == (&settings.base_url, &settings.api_key_env),
            is_same_place,
            "{expected}"
        );
        assert_eq!(notes.is_empty(), note.is_empty(), "{notes:?}");
        assert!(notes.iter().all(|told| told.contains(note)), "{notes:?}");
    }
    let environment = |name: &str| (name == "SKILLS_LS_MODEL_NAME").then(|| "from-outside".to_owned());
    let name = |choices: &[Choice]| of("anthropic", "x").resolve(&environment, choices).0.name;
    assert_eq!(name(&[]).as_deref(), Some("from-outside"));
    assert_eq!(name(&[by_person("y", "")]).as_deref(), Some("y"));
    assert_eq!(
        name(&[by_person("y", ""), by_person("default", "")]).as_deref(),
        Some("from-outside")
    );
}

#[tokio::test]
async fn an_unknown_model_is_answered_with_the_nearest_that_are_there() {
    let list = r#"{"data": [{"id": "llama3.1"}, {"id": "qwen3"}, {"id": "gemma3"}]}"#;
    let json = "content-type: application/json\r\n";
    let unknown = || Reply::status(404, json, r#"{"error": {"message": "model 'lama3' not found"}}"#);
    let replies = [unknown(), Reply::status(200, json, list), unknown()];
    let endpoint = Endpoint::start(replies).await;
    let settings = ModelSettings {
        provider: Some("openai".into()),
        name: Some("lama3".into()),
        base_url: Some(endpoint.url.clone()),
        ..ModelSettings::default()
    };
    let model = settings.model(&|_| None, None).unwrap();
    // The second time the list is still known.
    for _ in 0..2 {
        let told = told(&*model, request()).await;
        let expected = "knows no model lama3: check model.name and model.baseUrl (404 model 'lama3' not found); it has \
                        llama3.1, gemma3, qwen3";
        assert!(told[0].ends_with(expected), "{told:#?}");
    }
    let models = model.models().await.unwrap();
    assert_eq!(
        models.iter().map(|model| &*model.id).collect::<Vec<_>>(),
        ["llama3.1", "qwen3", "gemma3"]
    );
    let asked: Vec<_> = endpoint
        .arrived()
        .iter()
        .map(|arrived| arrived.head.lines().next().unwrap().to_owned())
        .collect();
    assert_eq!(
        asked,
        [
            "post /v1/chat/completions http/1.1",
            "get /v1/models http/1.1",
            "post /v1/chat/completions http/1.1"
        ]
    );
}

#[tokio::test]
async fn a_list_that_cannot_be_had_says_why() {
    let json = "content-type: application/json\r\n";
    let cases = [
        (
            Reply::status(404, "", ""),
            "does not list its models (404): set model.name",
        ),
        (
            Reply::status(200, json, "{}"),
            "sent something else than a list of models: \"{}\"",
        ),
        (Reply::nothing(), "can't reach http://127.0.0.1:"),
    ];
    for (reply, expected) in cases {
        let endpoint = Endpoint::start([reply]).await;
        let settings = ModelSettings {
            base_url: Some(endpoint.url.clone()),
            ..ModelSettings::default()
        };
        let error = settings.model(&|_| None, None).unwrap().models().await.unwrap_err();
        assert!(error.message.contains(expected), "{error}");
    }
}

#[tokio::test]
async fn what_the_address_holds_is_sent_and_never_shown() {
    let echo = r#"{"error":{"message":"no GET /v1/models?key=0123456789 for me:hunter2hunter2"}}"#;
    let endpoint = Endpoint::start([Reply::status(404, "", echo)]).await;
    let url = endpoint.url.replace("http://", "http://me:hunter2hunter2@") + "/v1?key=0123456789";
    let settings = ModelSettings {
        base_url: Some(url),
        ..ModelSettings::default()
    };
    let model = settings.model(&|_| None, None).unwrap();
    let error = model.models().await.unwrap_err().message;
    assert!(error.contains("(404 no GET /v1/models?key=*** for me:***)"), "{error}");
    for shown in [error, model.label()] {
        assert!(!shown.contains("0123456789") && !shown.contains("hunter2"), "{shown}");
    }
    let asked = endpoint.arrived().remove(0).head;
    assert!(
        asked.starts_with("get /v1/models?limit=1000&key=0123456789 http/1.1"),
        "{asked}"
    );
}
