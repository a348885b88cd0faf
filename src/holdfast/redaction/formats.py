"""The credential formats that providers document, as tables.

`WORDS` are credentials that are one word: a prefix and a run of one alphabet. They are found by a
look-up of the word's first two characters, without regular expressions. `SHAPES` need one, which
is compiled only for a text that holds the literals of the row.

Laws: a prefix begins a word, and a shape begins with its literal; every repetition is bounded and
none is nested in another, so that a text is read in linear time; the group of a shape is the
secret.
"""

from __future__ import annotations

HEX = "0123456789abcdef"
ANYHEX = HEX + "ABCDEF"
UPPER = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
LOWER = "abcdefghijklmnopqrstuvwxyz"
DIGITS = "0123456789"
CODE = UPPER + DIGITS  # base32 and its like
BASE32 = UPPER + "234567"
SMALL = LOWER + DIGITS
ALNUM = UPPER + LOWER + DIGITS
WORD = ALNUM + "_"
DASH = ALNUM + "_-"
DOTS = ALNUM + "_-."
BASE64 = ALNUM + "+/=_-"
UUID = HEX + "-"

# kind, prefixes, alphabet of what follows, at least, at most; how many dots at least.
WORDS: tuple[tuple[str, str, str, int, int, int], ...] = (
    # code hosts
    ("github token", "ghp_ gho_ ghu_ ghs_ ghr_", ALNUM, 36, 255, 0),
    ("github token", "github_pat_", WORD, 36, 255, 0),
    (
        "gitlab token",
        "glpat- gldt- glrt- glrtr- glcbt- glptt- glft- glimt- glagent- gloas- glsoat- glffct-",
        DOTS,
        16,
        300,
        0,
    ),
    ("gitlab token", "GR1348941", DASH, 20, 50, 0),
    ("bitbucket token", "ATBB", DASH, 24, 60, 0),
    ("atlassian token", "ATATT3 ATCTT3", BASE64, 60, 300, 0),
    ("trello token", "ATTA", ANYHEX, 64, 80, 0),
    ("sourcegraph token", "sgp_", WORD, 40, 80, 0),
    # clouds
    ("aws key", "AKIA ASIA ABIA ACCA", CODE, 16, 16, 0),
    ("aws bedrock key", "ABSK", BASE64, 80, 300, 0),
    ("aws bedrock key", "bedrock-api-key-", BASE64, 40, 2000, 0),
    ("aws mws token", "amzn.mws.", UUID, 36, 36, 0),
    ("google api key", "AIza", DASH, 35, 35, 0),
    ("google client secret", "GOCSPX-", DASH, 24, 40, 0),
    ("google access token", "ya29.", DOTS, 40, 2000, 0),
    ("google hmac key", "GOOG1E", CODE, 50, 60, 0),
    ("azure key", "JQQJ99", ALNUM, 60, 100, 0),
    ("digitalocean token", "dop_v1_ doo_v1_ dor_v1_", HEX, 64, 64, 0),
    ("heroku key", "HRKU-", DASH, 32, 80, 0),
    ("cloudflare token", "cfk_ cfut_ cfat_", ALNUM, 40, 60, 0),
    ("cloudflare token", "v1.0-", UUID, 100, 200, 0),
    ("netlify token", "nfp_", ALNUM, 32, 48, 0),
    ("vercel token", "vcp_ vci_ vca_ vcr_ vck_", ALNUM, 24, 80, 0),
    ("vercel token", "vercel_blob_rw_", WORD, 24, 80, 0),
    ("fly token", "fo1_ fm1r_ fm2_ fm1a_", BASE64, 40, 2000, 0),
    ("render key", "rnd_", ALNUM, 24, 48, 0),
    ("alibaba key", "LTAI", ALNUM, 12, 26, 0),
    ("tencent key", "AKID", ALNUM, 32, 40, 0),
    ("yandex key", "AQVN YCAJE YCM", DASH, 20, 44, 0),
    ("supabase token", "sbp_", HEX, 40, 64, 0),
    ("supabase key", "sb_secret_", DASH, 24, 60, 0),
    ("planetscale token", "pscale_tkn_ pscale_pw_ pscale_oauth_", DOTS, 32, 80, 0),
    ("neon key", "napi_", ALNUM, 40, 80, 0),
    ("neon password", "npg_", ALNUM, 12, 24, 0),
    ("aiven password", "AVNS_", DASH, 16, 40, 0),
    ("cockroach key", "CCDB1_", WORD, 40, 80, 0),
    ("xata key", "xau_", ALNUM, 28, 60, 0),
    ("databricks token", "dapi", HEX + "-", 32, 34, 0),
    ("vault token", "hvs. hvb. hvr.", DASH, 24, 300, 0),
    ("pulumi token", "pul-", HEX, 40, 40, 0),
    ("doppler token", "dp.pt. dp.st. dp.ct. dp.sa. dp.scim. dp.audit.", DOTS, 40, 80, 0),
    ("onepassword token", "ops_eyJ", DASH, 100, 3000, 0),
    ("onepassword key", "A3-", CODE + "-", 32, 38, 0),
    ("age key", "AGE-SECRET-KEY-1", CODE, 58, 58, 0),
    # model vendors
    ("anthropic key", "sk-ant-", DASH, 16, 300, 0),
    ("openai key", "sk-proj- sk-svcacct- sk-admin- sk-None-", DASH, 20, 300, 0),
    ("openrouter key", "sk-or-v1-", HEX, 40, 64, 0),
    ("langfuse key", "sk-lf-", UUID, 36, 36, 0),
    ("hugging face token", "hf_ api_org_", ALNUM, 34, 40, 0),
    ("replicate token", "r8_", ALNUM, 36, 42, 0),
    ("groq key", "gsk_", ALNUM, 40, 64, 0),
    ("perplexity key", "pplx-", ALNUM, 40, 64, 0),
    ("xai key", "xai-", ALNUM, 60, 100, 0),
    ("nvidia key", "nvapi-", DASH, 50, 90, 0),
    ("cerebras key", "csk-", SMALL, 40, 60, 0),
    ("together key", "tgp_v1_", DASH, 32, 64, 0),
    ("pinecone key", "pcsk_", WORD, 40, 100, 0),
    ("jina key", "jina_", ALNUM, 40, 80, 0),
    ("tavily key", "tvly-", DASH, 24, 60, 0),
    ("langsmith key", "lsv2_pt_ lsv2_sk_", WORD, 36, 60, 0),
    ("llamacloud key", "llx-", ALNUM, 40, 64, 0),
    ("e2b key", "e2b_", HEX, 40, 40, 0),
    ("runpod key", "rpa_", ALNUM, 36, 60, 0),
    ("apify token", "apify_api_", ALNUM, 32, 48, 0),
    ("anyscale key", "esecret_", ALNUM, 24, 60, 0),
    ("context7 key", "ctx7sk-", UUID, 36, 36, 0),
    # payment
    ("stripe key", "sk_live_ rk_live_ sk_test_ rk_test_ sk_prod_", ALNUM, 16, 250, 0),
    ("webhook secret", "whsec_", BASE64, 24, 80, 0),
    ("square token", "sq0atp- sq0csp- sq0idb-", DASH, 22, 50, 0),
    ("square token", "EAAAE EAAAl EAAAF", DASH, 55, 64, 0),
    ("shopify token", "shpat_ shpca_ shppa_ shpss_ shpua_ shptka_", ANYHEX, 32, 64, 0),
    ("plaid token", "access-sandbox- access-development- access-production-", UUID, 36, 36, 0),
    ("razorpay key", "rzp_live_ rzp_test_", ALNUM, 14, 24, 0),
    ("flutterwave key", "FLWSECK- FLWSECK_TEST-", DASH, 20, 60, 0),
    ("paddle key", "pdl_live_apikey_ pdl_sdbx_apikey_ pdl_ntfset_", WORD, 40, 100, 0),
    ("mercadopago token", "APP_USR-", DASH, 40, 100, 0),
    ("shippo token", "shippo_live_ shippo_test_", HEX, 40, 40, 0),
    ("easypost key", "EZAK EZTK", ALNUM, 54, 54, 0),
    ("duffel token", "duffel_live_ duffel_test_", DASH, 40, 48, 0),
    ("woocommerce key", "ck_ cs_", HEX, 40, 40, 0),
    # chat and mail
    ("slack token", "xoxb- xoxp- xoxa- xoxr- xoxs- xoxo- xoxc- xoxd- xoxe-", DASH, 10, 300, 0),
    ("slack token", "xapp- xwfp-", DASH, 20, 300, 0),
    ("slack token", "xoxe.", DOTS, 40, 400, 0),
    ("facebook token", "EAA", ALNUM, 90, 400, 0),
    ("sendgrid key", "SG.", DOTS, 60, 80, 1),
    ("mailgun key", "key-", SMALL, 32, 32, 0),
    ("brevo key", "xkeysib- xsmtpsib-", DASH, 60, 100, 0),
    ("mailersend key", "mlsn.", HEX, 60, 70, 0),
    ("hubspot token", "pat-na1- pat-na2- pat-eu1- pat-ap1-", UUID, 36, 36, 0),
    ("onesignal key", "os_v2_app_ os_v2_org_", SMALL, 60, 130, 0),
    ("matrix token", "syt_", WORD, 30, 100, 0),
    # package registries
    ("npm token", "npm_", ALNUM, 36, 36, 0),
    ("pypi token", "pypi-AgE", DASH, 50, 400, 0),
    ("rubygems key", "rubygems_", HEX, 48, 48, 0),
    ("docker token", "dckr_pat_ dckr_oat_", DASH, 24, 64, 0),
    ("artifactory key", "AKCp", ALNUM, 60, 80, 0),
    ("artifactory token", "cmVmdGtuO", ALNUM, 50, 70, 0),
    ("clojars token", "CLOJARS_", HEX, 60, 60, 0),
    ("packagist token", "packagist_ack_ packagist_oat_ packagist_out_", HEX, 60, 90, 0),
    ("deno token", "ddp_ ddo_ ddw_", ALNUM, 36, 40, 0),
    ("sonar token", "squ_ sqp_ sqa_", HEX, 40, 40, 0),
    ("snyk token", "snyk_uat. snyk_sat.", DOTS, 30, 400, 0),
    ("socket key", "sktsec_", DASH, 30, 80, 0),
    # ci and automation
    ("circleci token", "CCIPAT_ CCIPRJ_", WORD, 40, 80, 0),
    ("buildkite token", "bkua_ bkct_ bkaj_ bkat_", ALNUM, 40, 64, 0),
    ("prefect key", "pnu_ pnb_", ALNUM, 36, 36, 0),
    ("trigger key", "tr_dev_ tr_prod_ tr_stg_", ALNUM, 16, 40, 0),
    ("inngest key", "signkey-prod- signkey-test-", HEX, 32, 64, 0),
    ("depot token", "depot_org_ depot_project_", WORD, 32, 90, 0),
    ("postman key", "PMAK-", HEX + "-", 50, 64, 0),
    # watching and flags
    ("sentry token", "sntrys_", BASE64, 60, 600, 0),
    ("sentry token", "sntryu_", HEX, 64, 64, 0),
    ("new relic key", "NRAK- NRAA- NRII- NRRA- NRJS-", DASH, 19, 36, 0),
    ("grafana token", "glsa_ glc_", BASE64, 32, 400, 0),
    ("dynatrace token", "dt0c01. dt0s01. dt0s16.", DOTS, 80, 100, 1),
    ("honeycomb key", "hcaik_ hcxik_ hcaic_ hcxmk_", ALNUM, 40, 80, 0),
    ("axiom token", "xaat- xapt-", UUID, 36, 36, 0),
    ("posthog key", "phx_ phs_", ALNUM, 40, 60, 0),
    ("launchdarkly key", "api- sdk-", UUID, 36, 36, 0),
    ("tailscale key", "tskey-", DASH, 16, 100, 0),
    # work tools
    ("linear key", "lin_api_ lin_oauth_", ALNUM, 40, 64, 0),
    ("notion token", "ntn_", ALNUM, 40, 56, 0),
    ("notion token", "secret_", ALNUM, 43, 43, 0),
    ("figma token", "figd_ figo_ figu_", DASH, 36, 60, 0),
    ("typeform token", "tfp_", DOTS, 40, 64, 0),
    ("contentful token", "CFPAT-", DASH, 40, 50, 0),
    ("frame.io token", "fio-u-", DASH, 64, 64, 0),
    ("dropbox token", "sl.", DASH, 120, 2000, 0),
    ("mapbox token", "sk.eyJ", DOTS, 60, 200, 1),
    ("adobe secret", "p8e-", ALNUM, 32, 32, 0),
    ("adafruit key", "aio_", ALNUM, 28, 28, 0),
    ("wakatime key", "waka_", UUID, 36, 36, 0),
    ("alchemy token", "alcht_", ALNUM, 30, 30, 0),
    ("scalingo token", "tk-us- tk-eu-", DASH, 48, 48, 0),
    ("persona key", "persona_production_ persona_sandbox_", UUID, 36, 36, 0),
    ("readme key", "rdme_", SMALL, 60, 90, 0),
    ("lichess token", "lip_", ALNUM, 20, 20, 0),
    ("intra42 secret", "s-s4t2ud- s-s4t2af-", HEX, 64, 64, 0),
    # without one vendor
    ("jwt", "eyJ", DOTS, 36, 8000, 2),
    ("openai session", "sess-", ALNUM, 40, 40, 0),
)

# The same, for prefixes so short that what follows must also look drawn by lot.
DRAWN: tuple[tuple[str, str, str, int, int, int], ...] = (
    ("api key", "sk-", DASH, 20, 200, 0),
    ("api key", "sk_", WORD, 24, 120, 0),
    ("twilio key", "SK", HEX, 32, 32, 0),
    ("resend key", "re_", WORD, 24, 40, 0),
    ("payment key", "live_ test_", DASH, 28, 48, 0),
    ("fireworks key", "fw_", ALNUM, 20, 28, 0),
    ("voyage key", "pa-", DASH, 40, 48, 0),
    ("firecrawl key", "fc-", HEX, 32, 32, 0),
    ("modal token", "as-", ALNUM, 22, 22, 0),
    ("beamer key", "b_", DASH + "=", 44, 44, 0),
    ("nuget key", "oy2", SMALL, 43, 43, 0),
    ("nats seed", "SU SA SO SN SC SX", BASE32, 56, 56, 0),
    ("crates.io token", "cio", ALNUM, 32, 32, 0),
    ("airtable token", "pat", DOTS, 70, 90, 1),
    ("clickup token", "pk_", CODE + "_", 36, 52, 0),
    ("statsig key", "secret-", ALNUM, 40, 50, 0),
    ("octopus key", "API-", CODE, 25, 32, 0),
    ("harness token", "pat. sat.", DOTS, 60, 80, 2),
    ("ngrok token", "ak_", WORD, 42, 52, 0),
)

# Words whose mark is not their beginning: kind, mark, shape of the whole word.
MARKED: tuple[tuple[str, str, str], ...] = (
    ("azure client secret", "Q~", r"[A-Za-z0-9_~.-]{3}[0-9]Q~[A-Za-z0-9_~.-]{31,34}"),
    ("azure devops token", "AZDO", r"[A-Za-z0-9]{76}AZDO[A-Za-z0-9]{4}"),
    ("terraform token", ".atlasv1.", r"[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_-]{60,70}"),
    ("mailchimp key", "-us", r"[0-9a-f]{32}-us[0-9]{1,2}"),
    ("new relic key", "NRAL", r"[0-9a-f]{36}NRAL"),
    ("rapidapi key", "jsn", r"[a-z0-9]{10}msh[a-z0-9]{15}p1[a-z0-9]{6}jsn[a-z0-9]{12}"),
)
SHORTEST_MARKED = 35

# kind, literal that every match begins with, literal that must occur too, pattern.
SHAPES: tuple[tuple[str, str, str, str], ...] = (
    (
        "slack webhook",
        "hooks.slack.com/",
        "",
        r"hooks\.slack\.com/(?:services|workflows|triggers)/([A-Za-z0-9_/-]{20,120})",
    ),
    (
        "discord webhook",
        "/api/webhooks/",
        "",
        r"/api/webhooks/[0-9]{15,22}/([A-Za-z0-9_-]{40,100})",
    ),
    (
        "teams webhook",
        "webhook.office.com/",
        "",
        r"webhook\.office\.com/webhookb2/([A-Za-z0-9@/-]{60,300})",
    ),
    (
        "zapier webhook",
        "hooks.zapier.com/",
        "",
        r"hooks\.zapier\.com/hooks/catch/([0-9]{4,12}/[A-Za-z0-9]{5,20})",
    ),
    (
        "telegram token",
        ":AA",
        "",
        r":AA(?<=[0-9]{8}:AA)([A-Za-z0-9_-]{32,34})(?![A-Za-z0-9_-])",
    ),
    ("azure signature", "sig=", "", r"sig=(?<=[?&;]sig=)([A-Za-z0-9%/+=_-]{40,200})"),
    ("signed url", "-Signature=", "", r"-Signature=([0-9a-f]{64,520})"),
    (
        "braintree token",
        "access_token$",
        "",
        r"access_token\$(?:production|sandbox)\$([0-9a-z]{16}\$[0-9a-f]{32})",
    ),
    ("google refresh token", "1//0", "", r"1//0(?<![A-Za-z0-9]1//0)([A-Za-z0-9_-]{40,200})"),
    (
        "putty key",
        "Private-Lines:",
        "",
        r"Private-Lines: [0-9]{1,4}\s{1,4}([A-Za-z0-9+/=\s]{60,9000})",
    ),
    (
        "password",
        "machine",
        "login",
        r"machine\s{1,4}[^\s]{1,200}\s{1,9}login\s{1,4}[^\s]{1,200}\s{1,9}password\s{1,4}([^\s]{3,200})",
    ),
    ("password", " -u", "curl", r" -u[ =]?[\"']?[^\s:\"'/$<{]{1,100}:([^\s\"']{3,200})"),
    ("password", " --user", "", r" --user[ =][\"']?[^\s:\"'/$<{]{1,100}:([^\s\"']{3,200})"),
    ("password", " -a ", "http ", r" -a [\"']?[^\s:\"'/$<{]{1,100}:([^\s\"']{3,200})"),
    (
        "password",
        "mysql",
        " -p",
        r"mysql\w{0,9}\s[^\n|;&]{0,200}?-p[\"']?(?<=\s-p|-p[\"'])([^\s\"'-][^\s\"']{2,100})",
    ),
    (
        "password",
        "mariadb",
        " -p",
        r"mariadb\w{0,9}\s[^\n|;&]{0,200}?-p[\"']?(?<=\s-p|-p[\"'])([^\s\"'-][^\s\"']{2,100})",
    ),
    ("password", "sshpass", " -p", r"sshpass -p ?[\"']?([^\s\"'-][^\s\"']{2,100})"),
    ("password", " login", " -p ", r" login\s[^\n|;&]{0,200}?-p [\"']?([^\s\"'-][^\s\"']{2,100})"),
    (
        "password",
        "redis-cli",
        " -a ",
        r"redis-cli\s[^\n|;&]{0,200}?-a [\"']?([^\s\"'-][^\s\"']{2,100})",
    ),
    (
        "password",
        "mongo",
        " -p ",
        r"mongo\w{0,9}\s[^\n|;&]{0,200}?-p [\"']?([^\s\"'-][^\s\"']{2,100})",
    ),
    ("password", "jdbc:oracle:thin:", "", r"jdbc:oracle:thin:[^\s/@\"']{1,60}/([^\s@\"']{1,100})@"),
    (
        "password",
        "IDENTIFIED ",
        "",
        r"IDENTIFIED (?:WITH \w{1,40} )?BY (?:PASSWORD )?[\"']([^\"'\n]{3,200})[\"']",
    ),
    (
        "password",
        "identified ",
        "",
        r"identified (?:with \w{1,40} )?by (?:password )?[\"']([^\"'\n]{3,200})[\"']",
    ),
    (
        "password",
        "echo ",
        "chpasswd",
        r"echo [\"']?[\w.-]{1,40}:([^\s\"'|]{3,100})[\"']? ?\| ?(?:sudo )?chpasswd",
    ),
    (
        "password",
        "ConvertTo-SecureString",
        "",
        r"ConvertTo-SecureString (?:-String )?[\"']([^\"'\n]{3,200})[\"']",
    ),
    ("password", "auth=(", "", r"auth=\([\"'][^\"'\n]{1,100}[\"'], ?[\"']([^\"'\n]{3,200})[\"']"),
    (
        "password",
        "asicAuth(",
        "",
        r"asicAuth\([\"'][^\"'\n]{1,100}[\"'], ?[\"']([^\"'\n]{3,200})[\"']",
    ),
    (
        "password",
        "asic_auth(",
        "",
        r"asic_auth\([\"'][^\"'\n]{1,100}[\"'], ?(?:Some\()?[\"']([^\"'\n]{3,200})[\"']",
    ),
    (
        "password",
        ".login(",
        "",
        r"\.login\([\"'][^\"'\n]{1,100}[\"'], ?[\"']([^\"'\n]{3,200})[\"']",
    ),
    # commands with options and words of their own
    (
        "password",
        "htpasswd ",
        " -",
        r"htpasswd -[A-Za-z]{0,4}b[A-Za-z]{0,4} [^\s]{1,200} [^\s]{1,60} [\"']?([^\s\"']{3,100})",
    ),
    (
        "password",
        "ldap",
        " -w ",
        r"ldap\w{3,8}\s[^\n|;]{0,300}?-w [\"']?([^\s\"'-][^\s\"']{2,100})",
    ),
    ("password", "sqlcmd ", " -P", r"sqlcmd [^\n|]{0,200}?-P ?[\"']?([^\s\"'-][^\s\"']{2,100})"),
    (
        "password",
        "smb",
        "%",
        r"smb\w{2,8}\s[^\n|;&]{0,200}?-U ?[\"']?[\w\\.-]{1,60}%([^\s\"']{3,100})",
    ),
    (
        "password",
        "net use",
        "net user ",
        r"net user [\w.-]{1,60} [\"']?([^\s\"'/*][^\s\"']{3,100})",
    ),
    (
        "password",
        "net use",
        "/user:",
        r"net use [^\n]{0,120}/user:[^\s]{1,80} [\"']?([^\s\"'/*][^\s\"']{3,100})",
    ),
    (
        "password",
        "http-basic.",
        "",
        r"http-basic\.[\w.-]{1,60} [^\s]{1,80} [\"']?([^\s\"']{3,200})",
    ),
    ("password", "lftp ", " -u ", r"lftp [^\n]{0,100}?-u [\"']?[^\s,]{1,60},([^\s\"']{3,100})"),
    ("login password", "zip ", " -P ", r"zip [^\n|;&]{0,100}?-P [\"']?([^\s\"'-][^\s\"']{2,100})"),
    ("login password", "7z", " -p", r"7z[az]? [aelxt] [^\n|;&]{0,100}?-p[\"']?([^\s\"'-]{4,100})"),
    (
        "password",
        "rabbitmqctl ",
        "",
        r"rabbitmqctl (?:add_user|change_password) [^\s]{1,60} [\"']?([^\s\"']{3,100})",
    ),
    (
        "password",
        " --proxy-user",
        "",
        r" --proxy-user[ =][\"']?[^\s:\"'/$<{]{1,100}:([^\s\"']{3,200})",
    ),
    (
        "password",
        "chpasswd:",
        "",
        r"chpasswd:\s{1,9}(?:list: ?[|>]-?\s{1,12})?-?\s?[\w.-]{1,40}:([^\s\"']{4,100})",
    ),
    (
        "password",
        "assword",
        "send ",
        r"assword[^\n]{0,40}\n\s{0,8}send (?:-- )?[\"{]([^\"\\\n}]{3,100})",
    ),
    # what is fed to a command that keeps it
    *(
        (
            "secret from stdin",
            printer,
            taker,
            printer
            + r"(?:-n |[\"']?%s[\"']? )?[\"']?([^\s\"'|$]{6,400})[\"']? ?\| ?[^\n|;&]{0,80}?"
            + taker,
        )
        for printer in ("echo ", "printf ")
        for taker in ("sudo -S", " secret ", "--password-stdin", "--with-token", " env add ")
    ),
    # name and password side by side in code
    *(
        (
            "login password",
            call,
            ":",
            call.replace(".", "\\.").replace("(", "\\(")
            + r"b?[\"'`][\w.@-]{1,80}:([^\"'`\s]{3,200})[\"'`]",
        )
        for call in ("btoa(", "Buffer.from(", "b64encode(")
    ),
    *(
        (
            "login password",
            call,
            ",",
            call.replace("(", "\\(")
            + r"[^\n\"']{0,9}[\"'][^\"'\n]{1,200}[\"'], ?[\"'][^\"'\n]{1,60}[\"'], ?"
            + r"[\"']([^\"'\n]{3,200})[\"']",
        )
        for call in ("connect(", "mysqli(", "new PDO(")
    ),
    (
        "login password",
        "twine ",
        " -p ",
        r"twine [^\n|;&]{0,200}?-p [\"']?([^\s\"'-][^\s\"']{2,99})",
    ),
    ("login password", "ssh-keygen ", " -N ", r"ssh-keygen [^\n]{0,200}?-N [\"']([^\"'\n]{4,100})"),
    (
        "login password",
        "bundle config ",
        ":",
        r"bundle config [^\n]{0,120}? [\w.@-]{1,60}:([^\s\"']{4,100})",
    ),
    ("login password", "PASS ", "USER ", r"PASS (?<=\nPASS )([^\s]{4,100})"),
    ("password", "psk=", "", r"psk=[\"]([^\"\n]{8,63})[\"]"),
    ("login password", "login is ", "/", r"login is [\w.@-]{2,40} ?/ ?([^\s]{5,60})"),
)


def by_opening() -> dict[str, list[tuple[str, str, str, int, int, int, bool]]]:
    """The rows by the first two characters of their prefixes (one, where that is all there is)."""
    rows: dict[str, list[tuple[str, str, str, int, int, int, bool]]] = {}
    for table, is_drawn in ((WORDS, False), (DRAWN, True)):
        for kind, prefixes, alphabet, shortest, longest, dots in table:
            for prefix in prefixes.split():
                row = (prefix, kind, alphabet, shortest, longest, dots, is_drawn)
                rows.setdefault(prefix[:2], []).append(row)
    return rows


OPENINGS = by_opening()


def by_gate() -> dict[str, dict[str, list[tuple[str, str, str, str]]]]:
    """The shapes by a sign that most texts lack, then by the literal they begin with."""
    gates: dict[str, dict[str, list[tuple[str, str, str, str]]]] = {}
    for row in SHAPES:
        _, literal, also, _ = row
        gate = ""
        for mark in GATES:  # no generator: this runs in every hook
            if mark in literal or mark in also:
                gate = mark
                break
        gates.setdefault(gate, {}).setdefault(literal, []).append(row)
    return gates


GATES = ("(", " -", "hook", "=", "%", "login", "ass", ":", "/")
SHAPED = by_gate()
