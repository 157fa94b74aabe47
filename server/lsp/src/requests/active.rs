//! `skills/active`: which skills the open documents activate, and why.

use crate::protocol::{ActiveParams, ActiveQuery};
use crate::state::Snapshot;

/// The active skills of one document, or of all open ones together.
pub fn active(snapshot: &Snapshot, query: ActiveQuery) -> ActiveParams {
    let skills = match &query.uri {
        Some(uri) => snapshot.active.get(uri).cloned().unwrap_or_default(),
        None => {
            let mut skills: Vec<_> = snapshot
                .active
                .values()
                .flat_map(|skills| skills.iter().cloned())
                .collect();
            skills.sort_by(|left, right| (&left.name, &left.path).cmp(&(&right.name, &right.path)));
            skills.dedup_by(|next, kept| {
                let same = (&next.name, &next.path) == (&kept.name, &kept.path);
                if same {
                    kept.why.append(&mut next.why);
                }
                same
            });
            skills
        }
    };
    ActiveParams { uri: query.uri, skills }
}
