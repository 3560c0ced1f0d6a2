//! temp
use crate::llm::model::Part;
use std::io::Write;
/// x
pub struct Prompt { /// x
pub text: String, /// x
pub images: Vec<Part> }
/// x
pub async fn print(_h: &crate::runtime::Handle, _p: Vec<Prompt>, _o: &mut (dyn Write+Send), _e: &mut (dyn Write+Send)) -> i32 { 0 }
