//! A session as Markdown for a person to read.
