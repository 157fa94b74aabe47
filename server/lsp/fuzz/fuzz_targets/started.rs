#![no_main]
libfuzzer_sys::fuzz_target!(|data: &[u8]| skills_ls_fuzz::started(data));
