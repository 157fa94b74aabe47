//! What a skill is. Pure: text in, facts out.
