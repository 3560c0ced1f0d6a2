//! Where the keys of Amazon's cloud come from, against servers on loopback that stand for its
//! services.

use std::path::Path;

use bowline::llm::model::ErrorKind;
use serde_json::json;

use crate::bedrock::{API, KEYS, MODEL, text_pieces};
use crate::support::dialect::{
    access, adapter, collect_events, expect_done, expect_error, json_reply as answer, request,
};
use crate::support::server::{ReceivedRequest, Reply, Server};

/// Ends in the year 2033, long after the tests' clock.
const FAR_EXPIRY: &str = "2033-05-18T03:33:20Z";
/// Ends 200 s after the tests' clock.
const NEAR_EXPIRY: &str = "2023-11-14T22:16:40Z";

fn hello_reply() -> Reply {
    Reply::Stream(text_pieces("hello"))
}

fn sts_reply(id: &str, ends: &str) -> Reply {
    let keys = format!(
        "<AccessKeyId>{id}</AccessKeyId><SecretAccessKey>s</SecretAccessKey><SessionToken>t/+=</SessionToken>"
    );
    let body =
        format!("<R><Result><Credentials>{keys}<Expiration>{ends}</Expiration></Credentials></Result></R>");
    Reply::Status { code: 200, headers: vec![], body }
}

fn credentials_reply(id: &str, ends: &str) -> Reply {
    answer(&json!({"AccessKeyId": id, "SecretAccessKey": "s", "Token": "t", "Expiration": ends}))
}

fn text_reply(body: &str) -> Reply {
    Reply::Status { code: 200, headers: vec![], body: body.to_string() }
}

/// Who signed a request, and where it holds.
fn signer(seen: &ReceivedRequest) -> &str {
    let rest = seen.headers["authorization"].split_once("Credential=").unwrap().1;
    rest.split_once(',').unwrap().0
}

/// Asks so often, and what was seen.
async fn send_requests(
    server: &Server,
    vars: &[(&str, &str)],
    home: Option<&Path>,
    times: usize,
) -> Vec<ReceivedRequest> {
    let adapter = adapter(API, access(&server.url, None), vars, home);
    for _ in 0..times {
        assert_eq!(expect_done(&collect_events(&adapter, request(API, MODEL)).await).text(), "hello");
    }
    server.requests()
}

async fn request_error(url: &str, vars: &[(&str, &str)], home: Option<&Path>) -> (ErrorKind, String) {
    let adapter = adapter(API, access(url, None), vars, home);
    let (error, _) = expect_error(&collect_events(&adapter, request(API, MODEL)).await);
    (error.kind, error.message)
}

fn home(config: &str, credentials: &str) -> tempfile::TempDir {
    let home = tempfile::tempdir().unwrap();
    std::fs::create_dir(home.path().join(".aws")).unwrap();
    std::fs::write(home.path().join(".aws/config"), config).unwrap();
    std::fs::write(home.path().join(".aws/credentials"), credentials).unwrap();
    home
}

#[tokio::test]
async fn aws_profile_sets_keys_and_region() {
    let home = home(
        "[default]\nregion = ap-south-1\n[profile dev]\nregion = eu-central-1\n",
        "[default]\naws_access_key_id = ID\naws_secret_access_key = s\n[dev]\naws_access_key_id = DEV\n\
         aws_secret_access_key = s\n",
    );
    for (vars, expected) in [
        (vec![], "ID/20231114/ap-south-1/bedrock/aws4_request"),
        (vec![("AWS_PROFILE", "dev")], "DEV/20231114/eu-central-1/bedrock/aws4_request"),
        (KEYS.to_vec(), "AKID/20231114/eu-west-1/bedrock/aws4_request"),
    ] {
        let server = Server::start(vec![hello_reply()]);
        let seen = send_requests(&server, &vars, Some(home.path()), 1).await;
        assert_eq!(signer(&seen[0]), expected);
    }
}

#[tokio::test]
async fn aws_role_chain_is_assumed_in_order() {
    let server = Server::start(vec![
        sts_reply("MIDDLE", FAR_EXPIRY),
        sts_reply("OUTER", FAR_EXPIRY),
        hello_reply(),
        hello_reply(),
    ]);
    let home = home(
        "[profile outer]\nrole_arn = arn:outer\nsource_profile = middle\nexternal_id = x y\n\
         [profile middle]\nrole_arn = arn:middle\nsource_profile = base\nrole_session_name = me\n",
        "[base]\naws_access_key_id = BASE\naws_secret_access_key = s\n",
    );
    let vars = [("AWS_PROFILE", "outer"), ("AWS_REGION", "eu-west-1"), ("AWS_ENDPOINT_URL_STS", &server.url)];
    let seen = send_requests(&server, &vars, Some(home.path()), 2).await;
    assert_eq!(seen.len(), 4, "keys that hold are kept");
    let form = "Action=AssumeRole&Version=2011-06-15&RoleArn=arn%3Amiddle&RoleSessionName=me";
    assert_eq!(seen[0].text, form);
    assert_eq!(signer(&seen[0]), "BASE/20231114/eu-west-1/sts/aws4_request");
    assert!(seen[1].text.ends_with("RoleArn=arn%3Aouter&RoleSessionName=bowline&ExternalId=x%20y"));
    assert!(signer(&seen[1]).starts_with("MIDDLE/"));
    assert_eq!(seen[1].headers["x-amz-security-token"], "t/+=");
    assert!(signer(&seen[3]).starts_with("OUTER/"));
}

#[tokio::test]
async fn aws_web_identity_token_assumes_role() {
    let folder = tempfile::tempdir().unwrap();
    let token = folder.path().join("token");
    std::fs::write(&token, "jwt\n").unwrap();
    let server = Server::start(vec![
        sts_reply("WEB", NEAR_EXPIRY),
        hello_reply(),
        sts_reply("AGAIN", FAR_EXPIRY),
        hello_reply(),
    ]);
    let vars = [
        ("AWS_WEB_IDENTITY_TOKEN_FILE", token.to_str().unwrap()),
        ("AWS_ROLE_ARN", "arn:r"),
        ("AWS_ENDPOINT_URL_STS", &server.url),
    ];
    let seen = send_requests(&server, &vars, None, 2).await;
    let form = "Action=AssumeRoleWithWebIdentity&Version=2011-06-15&RoleArn=arn%3Ar\
        &RoleSessionName=bowline&WebIdentityToken=jwt";
    assert_eq!((seen[0].text.as_str(), seen[0].headers.get("authorization")), (form, None));
    assert!(signer(&seen[1]).starts_with("WEB/") && signer(&seen[3]).starts_with("AGAIN/"), "ended soon");
}

#[tokio::test]
async fn aws_sso_login_gets_role_credentials() {
    let server = Server::start(vec![
        answer(
            &json!({"roleCredentials": {"accessKeyId": "SSO", "secretAccessKey": "s", "sessionToken": "t",
            "expiration": 2_000_000_000_000_u64}}),
        ),
        hello_reply(),
    ]);
    let home = home(
        "[default]\nsso_session = corp\nsso_account_id = 1\nsso_role_name = Dev Role\n\
         [sso-session corp]\nsso_region = us-east-2\nsso_start_url = https://corp.example/start\n",
        "",
    );
    let cache = home.path().join(".aws/sso/cache");
    std::fs::create_dir_all(&cache).unwrap();
    // The name is the SHA-1 of the session's.
    let cache = cache.join("ee0bfd2552fbd840c02cc48b6e823320543c450f.json");
    let token = |ends: &str| json!({"accessToken": "at", "expiresAt": ends}).to_string();
    let vars = [("AWS_ENDPOINT_URL_SSO", server.url.as_str())];
    std::fs::write(&cache, token("2020-01-01T00:00:00UTC")).unwrap();
    let (kind, message) = request_error(&server.url, &vars, Some(home.path())).await;
    assert_eq!(kind, ErrorKind::Authentication);
    assert!(message.contains("aws sso login --profile default"), "{message}");
    std::fs::write(&cache, token(FAR_EXPIRY)).unwrap();
    let seen = send_requests(&server, &vars, Some(home.path()), 1).await;
    assert_eq!(seen[0].path, "/federation/credentials?role_name=Dev%20Role&account_id=1");
    assert_eq!(seen[0].headers["x-amz-sso_bearer_token"], "at");
    assert!(signer(&seen[1]).starts_with("SSO/"));
}

#[tokio::test]
async fn aws_container_and_instance_credentials_are_used() {
    let folder = tempfile::tempdir().unwrap();
    let token = folder.path().join("token");
    std::fs::write(&token, "pod-token\n").unwrap();
    let server = Server::start(vec![credentials_reply("POD", FAR_EXPIRY), hello_reply()]);
    let uri = format!("{}/v1/credentials", server.url);
    let vars = [
        ("AWS_CONTAINER_CREDENTIALS_FULL_URI", uri.as_str()),
        ("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE", token.to_str().unwrap()),
        ("AWS_CONTAINER_AUTHORIZATION_TOKEN", "not this one"),
    ];
    let seen = send_requests(&server, &vars, None, 1).await;
    assert_eq!(
        (seen[0].path.as_str(), seen[0].headers["authorization"].as_str()),
        ("/v1/credentials", "pod-token")
    );
    assert!(signer(&seen[1]).starts_with("POD/"));
    let server = Server::start(vec![
        text_reply("imds-token"),
        text_reply("my role\n"),
        credentials_reply("EC2", FAR_EXPIRY),
        hello_reply(),
    ]);
    let vars = [("AWS_EC2_METADATA_SERVICE_ENDPOINT", server.url.as_str())];
    let seen = send_requests(&server, &vars, None, 1).await;
    assert_eq!((seen[0].method.as_str(), seen[0].path.as_str()), ("PUT", "/latest/api/token"));
    assert_eq!(seen[0].headers["x-aws-ec2-metadata-token-ttl-seconds"], "21600");
    assert_eq!(seen[2].path, "/latest/meta-data/iam/security-credentials/my%20role");
    assert_eq!(seen[2].headers["x-aws-ec2-metadata-token"], "imds-token");
    assert!(signer(&seen[3]).starts_with("EC2/"));
}

#[tokio::test]
async fn aws_concurrent_requests_share_one_refresh() {
    let server = Server::start(vec![
        text_reply("t"),
        text_reply("role"),
        credentials_reply("EC2", FAR_EXPIRY),
        hello_reply(),
        hello_reply(),
        hello_reply(),
    ]);
    let vars = [("AWS_EC2_METADATA_SERVICE_ENDPOINT", server.url.as_str())];
    let adapter = adapter(API, access(&server.url, None), &vars, None);
    let ask = || collect_events(&adapter, request(API, MODEL));
    for events in futures::future::join_all([ask(), ask(), ask()]).await {
        assert_eq!(expect_done(&events).text(), "hello");
    }
    assert_eq!(server.requests().len(), 6);
}

#[tokio::test]
async fn aws_credential_errors_name_the_cause() {
    let url = "http://127.0.0.1:9";
    let (kind, message) = request_error(url, &[("AWS_EC2_METADATA_DISABLED", "true")], None).await;
    assert_eq!(kind, ErrorKind::Authentication);
    assert!(message.contains("AWS_BEARER_TOKEN_BEDROCK") && message.contains("aws configure"), "{message}");
    let home = home(
        "[profile tool]\ncredential_process = /bin/x\n[profile mfa]\nrole_arn = r\nmfa_serial = m\n\
         [profile loop]\nrole_arn = r\nsource_profile = pool\n[profile pool]\nrole_arn = r\nsource_profile = loop\n",
        "",
    );
    for (profile, words) in [
        ("tool", "`credential_process`"),
        ("mfa", "`mfa_serial`"),
        ("loop", "do not end"),
        ("nobody", "no profile `nobody`"),
    ] {
        let (kind, message) = request_error(url, &[("AWS_PROFILE", profile)], Some(home.path())).await;
        assert_eq!(kind, ErrorKind::Configuration, "{profile}");
        assert!(message.contains(words), "{message}");
    }
    let far = [("AWS_CONTAINER_CREDENTIALS_FULL_URI", "http://169.254.170.2.evil.example/x")];
    let (_, message) = request_error(url, &far, None).await;
    assert!(message.contains("https"), "{message}");
    let denied = "<ErrorResponse><Error><Message>Not yours</Message></Error></ErrorResponse>";
    let server = Server::start(vec![Reply::Status { code: 403, headers: vec![], body: denied.into() }]);
    let file = home.path().join(".aws/config");
    let vars = [
        ("AWS_WEB_IDENTITY_TOKEN_FILE", file.to_str().unwrap()),
        ("AWS_ROLE_ARN", "arn:r"),
        ("AWS_ENDPOINT_URL_STS", server.url.as_str()),
    ];
    let (kind, message) = request_error(url, &vars, None).await;
    assert_eq!(kind, ErrorKind::Authentication);
    assert!(message.contains("Not yours"), "{message}");
}
