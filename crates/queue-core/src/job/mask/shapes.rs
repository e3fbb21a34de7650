//! The shapes of secrets, as one pattern: an alternation, whose first alternative that matches
//! wins. The one group of an alternative that takes part is what is masked. An alternative without
//! a group is harmless text, which stays.
//!
//! A text may be cut behind any character, and is masked again when it is read. So no shape ends
//! with the end of a word, and each length is a minimum.

/// The names of secrets, from a letter in the middle of a word on: `PGPASSWORD`, `x-auth-token`.
const NAME: &str = "(?i-u:\
    pass(?:word|wd|phrase|code)s?|pswd|secret|token|authorization|\
    api[ _-]?key|(?:access|account|auth|client|encryption|license|master|private|secret|shared|signing|subscription)[ _-]?key|\
    jsessionid|phpsessid|connect\\.sid|(?:db|pg|user|smtp|mail|mysql|redis|ldap|ftp|root|admin|proxy)[_-]?(?:pass|pwd|pw))|\
    [A-Z0-9]_(?:PASS|PWD|PW|CREDS|CREDENTIALS)";
/// What may follow a name in the same word: `SECRET_ACCESS_KEY`, `secretKeyBase`, `API_KEY_2`.
const REST: &str = "(?i-u:[_.-]?(?:access|key|base|value|hash|text|plain|b64|base64|prod|production|staging|dev|test|live|old|new|v?[0-9]{1,3}))*";
/// Quotes, escaped any number of times, and a bracket, behind a name.
const CLOSE: &str = r#"\\*["'`]?\]?[ \t]*"#;
/// What connects a name with its value.
const JOIN: &str = r"(?:=>|:=|==?|::?|%3[aAdD])[ \t]*";
/// Words of messages about a secret, which are no secrets.
const PROSE: &str = "(?i-u:a|an|and|are|at|bad|blank|cannot|can't|does|empty|expected|expired|failed|for|found|has|have|in|incorrect|invalid|is|\
    malformed|may|mismatch|missing|must|need|needs|no|not|of|ok|only|or|please|rejected|required|revoked|should|the|this|to|too|unknown|\
    unset|unsupported|use|was|were|will|with|wrong|your)";
const NOTHING: &str = "(?i-u:null|none|nil|undefined|true|false)";
const END: &str = r#"[.,;:!?)}\]"']*(?:[ \t\r\n]|\z)"#;
/// What stands before the quotes of a value in the output of debuggers: `Some(`, `b`, `string(7)`.
const WRAP: &str = r"(?:string\([0-9]{1,4}\)[ ]|[A-Za-z_]{1,20}\(|[bruf@&])?";
const SCHEME: &str = "(?:(?i-u:bearer|basic|token|negotiate|apikey)[ ]+)?";
/// A value in quotes, or up to a blank or delimiter.
const VALUE: &str = r#"(?:"{SCHEME}((?:[^"\\]|\\(?s:.))+)|'{SCHEME}((?:[^'\\]|\\(?s:.))+)|\\+["']{SCHEME}((?:[^"'\\]|\\\\+["']?|\\[^"'\\])+)|{SCHEME}([^ \t\r\n"'`,;&<>(){}\[\]|\\](?:[^ \t\r\n"',;&<>]*[^ \t\r\n"',;&<>)}\].])?))"#;

const NAMED: &[&str] = &[
    "{CLOSE}:[ \t]+{PROSE}{END}",
    r"{CLOSE}{JOIN}{NOTHING}(?:[ \t\r\n,;&)}\]]|\z)",
    "{CLOSE}{JOIN}{WRAP}{VALUE}",
    // `{"name": "DB_PASSWORD", "value": "..."}`, of Kubernetes and others, and attributes of XML.
    r#"\\*["']?[, \t\r\n]+\\*["']?(?i-u:value)\\*["']?[ ]*[:=][ ]*{VALUE}"#,
    // `("authorization", "Bearer ...")`, and the parts of a form.
    r#"["'],[ ]*b?["']{SCHEME}([^"'\\]+)["']\)"#,
    r#"["'](?:\r?\n|\\r\\n){2}([^ \t\r\n\\]+)"#,
];

/// How tokens of well-known services begin, before at least sixteen letters and digits.
const PREFIXES: &[&str] = &[
    "AGE-SECRET-KEY-1",
    "AKIA",
    "ASIA",
    "NRAK-",
    "PMAK-",
    "do[opr]_v1_",
    "gh[pousr]_",
    "glsa_",
    "gsk_",
    "hf_",
    "lin_api_",
    "npm_",
    "ntn_",
    "pul-",
    "r8_",
    "[rs]k_(?:live|test)_",
    "rubygems_",
    "sbp_",
    "shp(?:at|ca|pa|ss)_",
    "sk-",
    "whsec_",
    "xai-",
];
/// The same, before at least sixteen letters, digits, `_`, `-` and the like.
const LOOSE_PREFIXES: &[&str] = &[
    "1//0",
    "AIza",
    "ATATT3",
    "GOCSPX-",
    "SG\\.",
    "dckr_pat_",
    "dp\\.[a-z]{2,5}\\.",
    "fm2_",
    "github_pat_",
    "gl[a-z]{2,5}-",
    "glc_",
    "hv[sbr]\\.",
    "pscale_[a-z]+_",
    "pypi-AgE",
    "sk-(?:ant|proj|svcacct|or|admin)-",
    "sntry[su]_",
    "sq0[a-z]{3}-",
    "tskey-",
    "xapp-",
    "xox[a-z]-",
    "ya29\\.",
];

const ALTERNATIVES: &[&str] = &[
    // A key: the whole block. A text that was cut has no end of it.
    r"(-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----(?:[ ]*(?:\r?\n|\\r|\\n)|[ ]?[A-Za-z0-9+/]{32})(?s:.)*?(?:-----END [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----|\z))",
    // Tokens that say what they are.
    r"(?-u:\b)(qk_[a-z0-9-]{1,32}_[A-Za-z0-9_-]{20,})",
    r"(?-u:\b)(v1\.[A-Za-z0-9_-]{60,})",
    r"(?-u:\b)(eyJ[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]*){1,4})",
    r"(?-u:\b)((?:{PREFIXES})[A-Za-z0-9]{16,}[A-Za-z0-9_.=+/~-]*)",
    r"(?-u:\b)((?:{LOOSE})[A-Za-z0-9_.=+/~-]{16,})",
    r"(?-u:\b)((?:SK|key-|dapi)[0-9a-f]{32,})",
    r"(?-u:\b)([0-9]{8,10}:AA[A-Za-z0-9_-]{30,})",
    r"(?-u:\b)([A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_=-]{30,})",
    r"hooks\.slack\.com/(?:services|workflows|triggers)/([A-Za-z0-9/]{20,})",
    r"discord(?:app)?\.com/api/webhooks/[0-9]+/([A-Za-z0-9_-]{20,})",
    // Hashes of passwords.
    r#"(\$(?:2[abxy]|argon2(?:id|i|d)|[156y]|scrypt|pbkdf2[a-z0-9-]*|7)\$[^ \t\r\n"';]{20,})"#,
    // URLs: the password of the userinfo, or all of it if it is one long word; and signed ones.
    r#"://[^ \t\r\n:/?#@"'<>\\]*:([^ \t\r\n/?#"'<>\\]+)@"#,
    r#"://([^ \t\r\n:/?#@"'<>\\]{20,})@"#,
    r#"(?-u:\b)[A-Za-z0-9_.-]+:([^ \t\r\n/@"'<>\\]+)@(?:tcp|unix|udp)?\("#,
    r"[?&](?i-u:sig|signature|x-amz-signature|x-amz-credential|x-goog-signature|key|code|auth|sid)=([A-Za-z0-9%+/=_.~-]{16,})",
    r#"[?&; ](?i-u:pass|pwd|pw)=([.~]{0,2}[^ \t\r\n"',;&<>/.~][^ \t\r\n"',;&<>]*)"#,
    // Headers.
    r"(?i-u:authorization){CLOSE}{JOIN}(?i-u:digest|aws4-hmac-sha256|hawk|oauth|signature)[ ]+([^\r\n]+)",
    r#"(?i-u:cookie)2?(?:{CLOSE}[:=]|["'],)[ \t]*\[?\\*b?["']?([^ \t\r\n=;,"'\\]+=[^\r\n"'\\]+)"#,
    r"(?-u:\b)(?i-u:bearer|basic|apikey)[ ]+((?:[A-Za-z._~+/-]{0,40}[0-9_=]|[A-Za-z+/]{0,40}[a-z][A-Z])[A-Za-z0-9._~+/=-]{6,}|(?:[A-Za-z._~+/-]{6,40}[0-9_=]|[A-Za-z+/]{6,40}[a-z][A-Z])[A-Za-z0-9._~+/=-]*)",
    // The words of parsers.
    "(?i-u:(?:un)?expected[ ]token)",
    r"(?:{NAME}){REST}(?:{NAMED})",
    r#"(?-u:\b)(?i-u:otp|totp|mfa|2fa|pin)(?i-u:[ _-]?code)?{CLOSE}{JOIN}["']?([0-9]{4,8})"#,
    r#"(?-u:\b)(?i-u:sess(?:ion)?[_-]?id|sid){CLOSE}{JOIN}["']?([A-Za-z0-9%+/=_.~-]{16,})"#,
    r#"[A-Z0-9]_(?:KEY|AUTH|DSN|SALT){CLOSE}{JOIN}["']?([A-Za-z0-9+/=_.~:-]{16,})"#,
    r#""(?:auth|pass|pwd|pw|sig)\\*"[ ]*:[ ]*\\*"([^"\\]{4,})"#,
    // Elements of XML.
    r"<[A-Za-z0-9_.:-]*(?:{NAME}){REST}(?:[ \t][^<>]*)?>([^<>]+)</",
    // Command lines, `.netrc`, and statements of SQL.
    r#"--?[A-Za-z0-9-]*(?:{NAME}){REST}[ ]+(?:{PROSE}{END}|["']?(-?[^ \t\r\n"'-][^ \t\r\n"']*))"#,
    r#"(?-u:\b)curl[ ][^\r\n|]*-u[ ]*["']?[A-Za-z0-9_.@-]+:([^ \t\r\n"']+)"#,
    r"(?i-u:login)[ \t]+[^ \t\r\n]+[ \t]+(?i-u:password)[ \t]+([^ \t\r\n]+)",
    r"(?i-u:identified[ ]by|password)[ ]+'([^']+)",
];

/// All shapes as one pattern.
pub(super) fn pattern() -> String {
    let lists = [
        ("{NAMED}", NAMED.join("|")),
        ("{PREFIXES}", PREFIXES.join("|")),
        ("{LOOSE}", LOOSE_PREFIXES.join("|")),
    ];
    let parts = [
        ("{NAME}", NAME),
        ("{REST}", REST),
        ("{CLOSE}", CLOSE),
        ("{JOIN}", JOIN),
        ("{PROSE}", PROSE),
        ("{NOTHING}", NOTHING),
        ("{END}", END),
        ("{WRAP}", WRAP),
        ("{VALUE}", VALUE),
        ("{SCHEME}", SCHEME),
    ];
    let whole = lists.iter().fold(ALTERNATIVES.join("|"), |whole, (name, list)| whole.replace(name, list));
    parts.iter().fold(whole, |whole, (name, part)| whole.replace(name, part))
}
