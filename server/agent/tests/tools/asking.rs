//! Reading from the web, and questions of the model.

use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

use crate::host::Bench;

/// Answers every request on a free port of this machine by its path.
async fn server(answer: impl Fn(&str) -> String + Send + 'static) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let mut request = vec![0; 4096];
            let length = stream.read(&mut request).await.unwrap();
            let request = String::from_utf8_lossy(&request[..length]).into_owned();
            let path = request.split(' ').nth(1).unwrap_or("/").to_owned();
            stream.write_all(answer(&path).as_bytes()).await.unwrap();
        }
    });
    port
}

fn ok(kind: &str, body: &str) -> String {
    let length = body.len();
    format!("HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}")
}

#[tokio::test]
async fn pages_are_read_as_text_after_a_question() {
    let port = server(|path| match path {
        "/html" => ok("text/html", "<h1>Title</h1><script>x</script><p>a &amp; b"),
        "/away" => format!("HTTP/1.1 302 Found\r\nLocation: http://127.0.0.2:1{path}\r\nContent-Length: 0\r\n\r\n"),
        "/loop" => "HTTP/1.1 302 Found\r\nLocation: /loop\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".to_owned(),
        "/image" => ok("image/png", "x"),
        "/long" => ok("text/plain", &"0123456789\n".repeat(20_000)),
        _ => "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".to_owned(),
    })
    .await;
    let url = |path: &str| json!({"url": format!("http://127.0.0.1:{port}{path}")});
    let bench = Bench::new(&[]).with_rules(&[], &[], &["WebFetch(private:127.0.0.1)"]);
    let text = bench.text("read_url", url("/html")).await;
    assert!(text.ends_with("/html\n# Title\n\na & b"), "{text}");
    let long = bench.call("read_url", url("/long")).await.unwrap();
    assert!(long.truncated && long.text.len() < 66_000);
    for (path, expected) in [
        ("/image", "is no text"),
        ("/none", "answered 404"),
        ("/loop", "more than 5 redirects"),
    ] {
        let message = bench.refusal("read_url", url(path)).await;
        assert!(message.contains(expected), "{path}: {message}");
    }
    assert!(bench.asked().is_empty(), "the rule allows it");
    let page = bench.call("read_url", url("/html")).await.unwrap();
    assert!(page.summary.ends_with(" from 127.0.0.1)"), "{}", page.summary);
    bench.answer(&["allow"]);
    let message = bench.refusal("read_url", url("/away")).await;
    assert!(message.contains("WebFetch(private:127.0.0.2)"), "{message}");
    assert!(
        bench.asked().is_empty(),
        "no answer opens a private address: {:?}",
        bench.asked()
    );
}

#[tokio::test]
async fn only_a_rule_made_for_that_opens_a_private_address() {
    let port = server(|_| ok("text/plain", "inner page")).await;
    for (rule, url, expected) in [
        ("WebFetch", "http://127.0.0.1:{}/", "no public address"),
        (
            "WebFetch(domain:127.0.0.1)",
            "http://127.0.0.1:{}/",
            "WebFetch(domain:127.0.0.1) is for public",
        ),
        (
            "WebFetch(127.0.0.1)",
            "http://127.0.0.1:{}/",
            "WebFetch(private:127.0.0.1) that the person writes",
        ),
        (
            "WebFetch(domain:localhost)",
            "http://localhost.:{}/",
            "WebFetch(private:localhost)",
        ),
        ("WebFetch(private:*)", "http://127.0.0.1:{}/", "no public address"),
        (
            "WebFetch(private:127.0.0.1:1)",
            "http://127.0.0.1:{}/",
            "no public address",
        ),
        (
            "WebFetch(private:127.0.0.2)",
            "http://127.0.0.1:{}/",
            "no public address",
        ),
        ("WebFetch(private:127.0.0.1)", "http://127.0.0.1:{}/", "inner page"),
        ("WebFetch(private:127.0.0.1:{})", "http://2130706433:{}/", "inner page"),
        ("WebFetch(private:LocalHost.)", "http://localhost.:{}/", "inner page"),
    ] {
        let [rule, url] = [rule, url].map(|text| text.replace("{}", &port.to_string()));
        let bench = Bench::new(&[]).with_rules(&[], &[], &[&rule]);
        bench.answer(&["allow", "allowUser"]);
        let text = match bench.call("read_url", json!({"url": url})).await {
            Ok(output) => output.text,
            Err(error) => error.to_string(),
        };
        assert!(text.contains(expected), "{rule} {url}: {text}");
        assert!(bench.asked().is_empty(), "{rule} {url}");
    }
    // What forbids goes first.
    let bench = Bench::new(&[]).with_rules(&["WebFetch(private:127.0.0.1)"], &[], &["WebFetch(private:127.0.0.1)"]);
    let url = json!({"url": format!("http://127.0.0.1:{port}/")});
    assert!(bench.refusal("read_url", url).await.contains("permissions.deny"));
}

#[tokio::test]
async fn hosts_that_only_look_allowed_or_are_local_are_refused() {
    let bench = Bench::new(&[]).with_rules(
        &["WebFetch(domain:evil.example)"],
        &[],
        &["WebFetch(domain:trusted.io)"],
    );
    for (url, expected) in [
        ("file:///etc/passwd", "only http and https"),
        ("ftp://trusted.io/", "only http and https"),
        ("http://trusted.io@evil.com/", "user name"),
        ("http://trusted.io.evil.com/", "was not allowed"),
        ("http://EVIL.example./", "permissions.deny"),
        ("http://trüsted.io/", "was not allowed"),
        ("nonsense", "invalid URL"),
    ] {
        let message = bench.refusal("read_url", json!({"url": url})).await;
        assert!(message.contains(expected), "{url}: {message}");
    }
    for url in [
        "http://127.0.0.1/",
        "http://localhost/",
        "http://2130706433/",
        "http://0x7f.1/",
        "http://[::1]/",
        "http://[::ffff:169.254.169.254]/",
        "http://169.254.169.254/latest/meta-data",
        "http://10.0.0.1/",
    ] {
        bench.answer(&["allow"]);
        let message = bench.refusal("read_url", json!({"url": url})).await;
        assert!(message.contains("no public address"), "{url}: {message}");
    }
}

#[tokio::test]
async fn the_person_answers_by_choice_or_not_at_all() {
    let bench = Bench::new(&[]);
    let input = json!({"question": "Which?\u{1b}[1m", "choices": ["red", "blue"]});
    bench.answer(&["2", "7"]);
    assert_eq!(bench.text("ask_person", input.clone()).await, "blue");
    assert!(
        bench.refusal("ask_person", input.clone()).await.contains("no answer"),
        "it was not offered"
    );
    assert!(bench.refusal("ask_person", input).await.contains("no answer"));
    let question = bench.host.asked.lock().unwrap()[0].clone();
    assert_eq!((question.detail.as_str(), question.takes_text), ("Which?", true));
    assert!(
        bench
            .refusal("ask_person", json!({"question": " "}))
            .await
            .contains("empty")
    );
}
