#![no_main]

libfuzzer_sys::fuzz_target!(init: sfumato_fuzz::keep_quiet(), |data: &[u8]| sfumato_fuzz::csv(data));
