//! PKCE (RFC 7636): proves that the token is requested by the client that requested the code. Pure except for
//! random numbers.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::digest::{SHA256, digest};
use ring::rand::{SecureRandom, SystemRandom};

use super::LoginError;

/// A verifier and its challenge.
#[derive(Clone)]
pub struct Pkce {
    /// The secret, sent with the code.
    pub verifier: String,
    /// Sent with the authorization request: SHA-256 of the verifier.
    pub challenge: String,
}

impl Pkce {
    /// Creates a random pair.
    pub fn new() -> Result<Self, LoginError> {
        Ok(Self::from_verifier(random_token()?))
    }

    fn from_verifier(verifier: String) -> Self {
        let challenge = URL_SAFE_NO_PAD.encode(digest(&SHA256, verifier.as_bytes()));
        Self { verifier, challenge }
    }
}

/// Returns 256 random bits as 43 URL-safe characters.
pub fn random_token() -> Result<String, LoginError> {
    let mut bytes = [0; 32];
    let filled = SystemRandom::new().fill(&mut bytes);
    filled.map_err(|_| LoginError::InvalidAnswer("the system gave no random numbers"))?;
    Ok(URL_SAFE_NO_PAD.encode(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pkce_challenge_matches_rfc_example() {
        let pkce = Pkce::from_verifier("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk".into());
        assert_eq!(pkce.challenge, "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM");
        assert_eq!(random_token().unwrap().len(), 43);
        assert_ne!(random_token().unwrap(), random_token().unwrap());
    }
}
