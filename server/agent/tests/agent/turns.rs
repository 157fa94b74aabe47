//! What a turn does with whatever a model answers.

use std::sync::Arc;

use skills_agent::event::Outcome;
use skills_agent::model::replay::Replay;

use crate::fakes::{Bench, Does, reads};

const RECORDING: &str = r#"A call and its answer.
=== response 1
event: message_start
data: {"type":"message_start","message":{"usage":{"input_tokens":7,"output_tokens":1}}}

event: content_block_start
data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}

event: content_block_delta
data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Let me look."}}

event: content_block_stop
data: {"type":"content_block_stop","index":0}

event: content_block_start
data: {"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"toolu_1","name":"echo","input":{}}}

event: content_block_delta
data: {"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"{\"text\": \"he"}}

event: content_block_delta
data: {"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"llo\"}"}}

event: content_block_stop
data: {"type":"content_block_stop","index":1}

event: message_delta
data: {"type":"message_delta","delta":{"stop_reason":"tool_use"},"usage":{"output_tokens":20}}

event: message_stop
data: {"type":"message_stop"}

=== response 2
event: content_block_start
data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}

event: content_block_delta
data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Done."}}

event: content_block_stop
data: {"type":"content_block_stop","index":0}

event: message_delta
data: {"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"input_tokens":30,"output_tokens":3}}

event: message_stop
data: {"type":"message_stop"}
"#;

#[tokio::test]
async fn a_recording_is_played_through_a_whole_turn() {
    let model = Arc::new(Replay::new(RECORDING).unwrap());
    let mut bench = Bench::new(model, [reads("echo", Does::Echo)]);
    assert_eq!(bench.ask("say hello").await, Outcome::Finished);
    assert_eq!(
        bench.told(),
        [
            r#"started "say hello" on replay (recorded, no model)"#,
            r#"text "Let me look.""#,
            "call toolu_1 echo hello",
            "ok toolu_1 5 bytes",
            r#"text "Done.""#,
            "ended Finished, 37 in, 23 out",
        ]
    );
    let Outcome::Failed(message) = bench.ask("again").await else {
        panic!("the recording is over")
    };
    assert!(message.contains("holds 2 responses and this is request 3"), "{message}");
}
