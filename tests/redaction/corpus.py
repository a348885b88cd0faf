# ruff: noqa: E501 (one case a line)
"""Texts with secrets of which the place is known, and texts that only look like it.

Made at run time from a fixed seed, so that nothing that looks like a credential is committed; the
prefixes are put together for the same reason. The formats are written down here a second time, from
what providers issue, and not taken from the table under test.
"""

from __future__ import annotations

import base64
import json
import random
import string
import uuid
from collections.abc import Callable
from dataclasses import dataclass

HEX = "0123456789abcdef"
LOWER, UPPER, DIGITS = string.ascii_lowercase, string.ascii_uppercase, string.digits
ALNUM = string.ascii_letters + DIGITS
DASH = ALNUM + "-_"
BASE64 = ALNUM + "+/"


@dataclass(frozen=True)
class Case:
    sort: str
    place: str
    text: str
    secret: str  # what must go; empty for a near miss
    is_named: bool = False


class Dice(random.Random):
    def run(self, alphabet: str, size: int) -> str:
        return "".join(self.choices(alphabet, k=size))

    def hex(self, size: int) -> str:
        return self.run(HEX, size)

    def word(self, size: int) -> str:
        return self.run(ALNUM, size)

    def dash(self, size: int) -> str:
        return self.word(1) + self.run(DASH, size - 2) + self.word(1)

    def uuid(self) -> str:
        return str(uuid.UUID(int=self.getrandbits(128), version=4))

    def base64(self, size: int) -> str:
        return base64.b64encode(self.randbytes(size)).decode()


def jwt(dice: Dice) -> str:
    def part(value: dict[str, object]) -> str:
        return base64.urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")

    head = part({"alg": "HS256", "typ": "JWT"})
    body = part({"sub": dice.run(DIGITS, 10), "iat": dice.randrange(10**9), "role": "admin"})
    return f"{head}.{body}.{dice.dash(43)}"


# Formats of providers: a name that a developer would give it, and how one is drawn.
NAMED: dict[str, tuple[str, Callable[[Dice], str]]] = {
    "aws key id": ("AWS_ACCESS_KEY_ID", lambda d: "AK" + "IA" + d.run(UPPER + "234567", 16)),
    "aws session id": ("aws_access_key_id", lambda d: "AS" + "IA" + d.run(UPPER + "234567", 16)),
    "github classic": ("GITHUB_TOKEN", lambda d: "gh" + "p_" + d.word(36)),
    "github oauth": ("gh_token", lambda d: "gh" + "o_" + d.word(36)),
    "github server": ("GH_TOKEN", lambda d: "gh" + "s_" + d.word(36)),
    "github fine": ("githubToken", lambda d: "github" + "_pat_" + d.word(22) + "_" + d.word(59)),
    "gitlab pat": ("GITLAB_TOKEN", lambda d: "gl" + "pat-" + d.dash(20)),
    "gitlab routable": ("CI_TOKEN", lambda d: "gl" + "pat-" + d.dash(27) + ".01." + d.run(LOWER + DIGITS, 9)),
    "gitlab runner": ("runner_token", lambda d: "gl" + "rt-" + d.dash(20)),
    "gitlab deploy": ("deploy_token", lambda d: "gl" + "dt-" + d.dash(20)),
    "bitbucket": ("BITBUCKET_APP_PASSWORD", lambda d: "AT" + "BB" + d.word(32)),
    "atlassian": ("JIRA_API_TOKEN", lambda d: "AT" + "ATT3xFfGF0" + d.dash(171) + "=" + d.run(HEX.upper(), 8)),
    "google api": ("GOOGLE_MAPS_API_KEY", lambda d: "AI" + "za" + d.dash(35)),
    "google oauth secret": ("client_secret", lambda d: "GOC" + "SPX-" + d.dash(28)),
    "google access": ("access_token", lambda d: "ya" + "29." + d.dash(120)),
    "azure ad secret": ("AZURE_CLIENT_SECRET", lambda d: d.word(3) + "8" + "Q~" + d.dash(34)),
    "azure devops": ("AZURE_DEVOPS_PAT", lambda d: d.word(76) + "AZ" + "DO" + d.word(4)),
    "digitalocean": ("DIGITALOCEAN_TOKEN", lambda d: "do" + "p_v1_" + d.hex(64)),
    "heroku": ("HEROKU_API_KEY", lambda d: "HR" + "KU-" + d.uuid()),
    "cloudflare": ("CLOUDFLARE_API_TOKEN", lambda d: "cf" + "ut_" + d.word(48)),
    "netlify": ("NETLIFY_AUTH_TOKEN", lambda d: "nf" + "p_" + d.word(36)),
    "fly": ("FLY_API_TOKEN", lambda d: "fo" + "1_" + d.dash(43)),
    "render": ("RENDER_API_KEY", lambda d: "rn" + "d_" + d.word(28)),
    "supabase": ("SUPABASE_ACCESS_TOKEN", lambda d: "sb" + "p_" + d.hex(40)),
    "planetscale": ("PLANETSCALE_TOKEN", lambda d: "pscale" + "_tkn_" + d.dash(43)),
    "neon": ("NEON_API_KEY", lambda d: "na" + "pi_" + d.run(LOWER + DIGITS, 64)),
    "databricks": ("DATABRICKS_TOKEN", lambda d: "da" + "pi" + d.hex(32)),
    "vault": ("VAULT_TOKEN", lambda d: "hv" + "s." + d.dash(95)),
    "terraform": ("TFE_TOKEN", lambda d: d.word(14) + ".atlas" + "v1." + d.word(67)),
    "pulumi": ("PULUMI_ACCESS_TOKEN", lambda d: "pu" + "l-" + d.hex(40)),
    "doppler": ("DOPPLER_TOKEN", lambda d: "dp" + ".pt." + d.word(43)),
    "age": ("SOPS_AGE_KEY", lambda d: "AGE-SECRET" + "-KEY-1" + d.run(UPPER + DIGITS, 58)),
    "anthropic": ("ANTHROPIC_API_KEY", lambda d: "sk-" + "ant-api03-" + d.dash(93) + "AA"),
    "openai project": ("OPENAI_API_KEY", lambda d: "sk-" + "proj-" + d.dash(74) + "T3Blbk" + "FJ" + d.dash(74)),
    "openai legacy": ("openai_api_key", lambda d: "sk" + "-" + d.word(20) + "T3Blbk" + "FJ" + d.word(20)),
    "openai service": ("OPENAI_KEY", lambda d: "sk-" + "svcacct-" + d.dash(120)),
    "openrouter": ("OPENROUTER_API_KEY", lambda d: "sk-" + "or-v1-" + d.hex(64)),
    "hugging face": ("HF_TOKEN", lambda d: "hf" + "_" + d.run(string.ascii_letters, 34)),
    "replicate": ("REPLICATE_API_TOKEN", lambda d: "r8" + "_" + d.word(37)),
    "groq": ("GROQ_API_KEY", lambda d: "gs" + "k_" + d.word(52)),
    "perplexity": ("PPLX_KEY", lambda d: "pp" + "lx-" + d.word(48)),
    "xai": ("XAI_API_KEY", lambda d: "xa" + "i-" + d.word(80)),
    "nvidia": ("NVIDIA_API_KEY", lambda d: "nv" + "api-" + d.dash(64)),
    "deepseek": ("DEEPSEEK_API_KEY", lambda d: "sk" + "-" + d.hex(32)),
    "tavily": ("TAVILY_API_KEY", lambda d: "tv" + "ly-dev-" + d.word(32)),
    "stripe live": ("STRIPE_SECRET_KEY", lambda d: "sk" + "_live_" + d.word(24)),
    "stripe long": ("stripe.api_key", lambda d: "sk" + "_live_51" + d.word(97)),
    "stripe restricted": ("STRIPE_KEY", lambda d: "rk" + "_live_" + d.word(24)),
    "stripe webhook": ("STRIPE_WEBHOOK_SECRET", lambda d: "wh" + "sec_" + d.word(32)),
    "square": ("SQUARE_ACCESS_TOKEN", lambda d: "sq0" + "atp-" + d.dash(22)),
    "braintree": ("braintree_token", lambda d: "access" + "_token$production$" + d.run(LOWER + DIGITS, 16) + "$" + d.hex(32)),
    "shopify": ("SHOPIFY_ACCESS_TOKEN", lambda d: "sh" + "pat_" + d.hex(32)),
    "shopify secret": ("SHOPIFY_API_SECRET", lambda d: "sh" + "pss_" + d.hex(32)),
    "plaid": ("PLAID_ACCESS_TOKEN", lambda d: "access" + "-production-" + d.uuid()),
    "slack bot": ("SLACK_BOT_TOKEN", lambda d: "xo" + "xb-" + d.run(DIGITS, 12) + "-" + d.run(DIGITS, 13) + "-" + d.word(24)),
    "slack user": ("SLACK_TOKEN", lambda d: "xo" + "xp-" + d.run(DIGITS, 12) + "-" + d.run(DIGITS, 12) + "-" + d.hex(32)),
    "slack app": ("SLACK_APP_TOKEN", lambda d: "xa" + "pp-1-A" + d.run(UPPER + DIGITS, 10) + "-" + d.run(DIGITS, 13) + "-" + d.hex(64)),
    "discord bot": ("DISCORD_TOKEN", lambda d: "MT" + d.word(24) + ".G" + d.word(5) + "." + d.dash(38)),
    "telegram": ("TELEGRAM_BOT_TOKEN", lambda d: d.run("123456789", 10) + ":A" + "A" + d.dash(33)),
    "twilio": ("TWILIO_API_KEY", lambda d: "S" + "K" + d.hex(32)),
    "sendgrid": ("SENDGRID_API_KEY", lambda d: "S" + "G." + d.dash(22) + "." + d.dash(43)),
    "mailgun": ("MAILGUN_API_KEY", lambda d: "ke" + "y-" + d.hex(32)),
    "mailchimp": ("MAILCHIMP_API_KEY", lambda d: d.hex(32) + "-u" + "s" + str(d.randrange(1, 21))),
    "brevo": ("BREVO_KEY", lambda d: "xkey" + "sib-" + d.hex(64) + "-" + d.word(16)),
    "resend": ("RESEND_API_KEY", lambda d: "r" + "e_" + d.word(8) + "_" + d.word(24)),
    "npm": ("NPM_TOKEN", lambda d: "np" + "m_" + d.word(36)),
    "pypi": ("TWINE_PASSWORD", lambda d: "py" + "pi-AgEIcHlwaS5vcmc" + d.dash(150)),
    "rubygems": ("GEM_HOST_API_KEY", lambda d: "ruby" + "gems_" + d.hex(48)),
    "docker": ("DOCKERHUB_TOKEN", lambda d: "dc" + "kr_pat_" + d.dash(27)),
    "crates": ("CARGO_REGISTRY_TOKEN", lambda d: "ci" + "o" + d.word(32)),
    "nuget": ("NUGET_API_KEY", lambda d: "oy" + "2" + d.run(LOWER + DIGITS, 43)),
    "artifactory": ("ARTIFACTORY_API_KEY", lambda d: "AK" + "Cp" + d.word(69)),
    "circleci": ("CIRCLE_TOKEN", lambda d: "CCI" + "PAT_" + d.word(22) + "_" + d.hex(40)),
    "buildkite": ("BUILDKITE_API_TOKEN", lambda d: "bk" + "ua_" + d.hex(40)),
    "prefect": ("PREFECT_API_KEY", lambda d: "pn" + "u_" + d.word(36)),
    "sentry": ("SENTRY_AUTH_TOKEN", lambda d: "sn" + "trys_" + d.base64(90) + "_" + d.word(43)),
    "sentry user": ("SENTRY_TOKEN", lambda d: "sn" + "tryu_" + d.hex(64)),
    "new relic": ("NEW_RELIC_API_KEY", lambda d: "NR" + "AK-" + d.run(UPPER + DIGITS, 27)),
    "grafana": ("GRAFANA_TOKEN", lambda d: "gl" + "sa_" + d.word(32) + "_" + d.hex(8)),
    "linear": ("LINEAR_API_KEY", lambda d: "lin" + "_api_" + d.word(40)),
    "notion": ("NOTION_TOKEN", lambda d: "nt" + "n_" + d.word(46)),
    "airtable": ("AIRTABLE_TOKEN", lambda d: "pa" + "t" + d.word(14) + "." + d.hex(64)),
    "figma": ("FIGMA_TOKEN", lambda d: "fi" + "gd_" + d.dash(40)),
    "postman": ("POSTMAN_API_KEY", lambda d: "PM" + "AK-" + d.hex(24) + "-" + d.hex(34)),
    "launchdarkly": ("LD_SDK_KEY", lambda d: "sd" + "k-" + d.uuid()),
    "tailscale": ("TS_AUTHKEY", lambda d: "ts" + "key-auth-" + d.word(12) + "CNTRL-" + d.word(32)),
    "dropbox": ("DROPBOX_TOKEN", lambda d: "s" + "l." + d.dash(135)),
    "contentful": ("CONTENTFUL_TOKEN", lambda d: "CF" + "PAT-" + d.dash(43)),
    "typeform": ("TYPEFORM_TOKEN", lambda d: "tf" + "p_" + d.dash(44)),
    "mapbox": ("MAPBOX_TOKEN", lambda d: "sk" + ".ey" + "J" + d.word(80) + "." + d.dash(22)),
    "shippo": ("SHIPPO_TOKEN", lambda d: "shippo" + "_live_" + d.hex(40)),
    "easypost": ("EASYPOST_API_KEY", lambda d: "EZ" + "AK" + d.word(54)),
    "duffel": ("DUFFEL_TOKEN", lambda d: "duffel" + "_live_" + d.dash(43)),
    "dynatrace": ("DT_API_TOKEN", lambda d: "dt0" + "c01." + d.run(UPPER + DIGITS, 24) + "." + d.run(UPPER + DIGITS, 64)),
    "posthog": ("POSTHOG_KEY", lambda d: "ph" + "x_" + d.word(43)),
    "jwt": ("SERVICE_ROLE_JWT", jwt),
}  # fmt: skip

# Where a credential with a prefix of its own can stand; {n} its name, {s} the secret.
ANYWHERE = {
    "env file": "NODE_ENV=production\n{n}={s}\nPORT=3000\n",
    "quoted env": '# deploy\nexport {n}="{s}"\n',
    "python": 'client = Client(timeout=30)\nkey = "{s}"\nclient.use(key)\n',
    "javascript": "const client = new Client({{ credential: '{s}', retries: 3 }});",
    "go": '\tcfg := Config{{\n\t\tEndpoint: "https://api.internal:8443",\n\t\tValue:    "{s}",\n\t}}\n',
    "json": '{{"name": "svc", "{n}": "{s}", "enabled": true}}',
    "escaped json": '{{"body": "{{\\"{n}\\": \\"{s}\\"}}"}}',
    "yaml": "service:\n  env:\n    {n}: {s}\n    LOG_LEVEL: info\n",
    "log": "2026-02-01T03:50:40.599Z WARN  retrying request with {s} after 401",
    "url query": "GET https://api.example.net/v2/items?limit=10&auth={s}&page=2 HTTP/1.1",
    "header": 'curl -sS -H "Authorization: Bearer {s}" https://api.example.net/v1/me',
    "custom header": "> X-Auth: {s}\r\n> Accept: */*\r\n",
    "prose": "ok, use {s} for the staging account. It expires on Friday.",
    "command": "tool login --with {s} --quiet",
    "diff": "-old: value\n+{n}: '{s}'\n context",
    "git remote": "git clone https://bot:{s}@git.example.net/team/app.git",
    "dockerfile": "FROM node:22\nENV {n} {s}\nRUN npm ci\n",
    "escaped newline": "stdout: 'first line\\n{s}\\nlast line'",
    "markdown": "| variable | value |\n|---|---|\n| `{n}` | `{s}` |\n",
    "xml": "<config><entry>{s}</entry></config>",
    "terraform": 'resource "x" "y" {{\n  name  = "main"\n  value = "{s}"\n}}\n',
}

# Where a secret without a format of its own is told by a word beside it.
TOLD = {
    "env file": "DEBUG=1\n{N}={s}\nPORT=3000\n",
    "export": "export {N}={s} && make deploy",
    "quoted env": "{N}='{s}'\n",
    "python": '{l} = "{s}"\n',
    "python keyword": 'connect(host="db1", {l}="{s}", timeout=5)',
    "python dict": "CONFIG = {{'host': 'db1', '{l}': '{s}'}}",
    "python environ": 'os.environ["{N}"] = "{s}"',
    "typed python": '{l}: str = "{s}"\n',
    "javascript": "const {c} = '{s}';",
    "js object": "  auth: {{ user: 'app', {c}: '{s}' }},",
    "template string": "let {c} = `{s}`;",
    "typescript": 'private readonly {c}: string = "{s}";',
    "go": '{c} := "{s}"',
    "go const": 'const {c} string = "{s}"',
    "java": 'private static final String {N} = "{s}";',
    "java setter": 'props.setProperty("{d}", "{s}");',
    "csharp": 'public string {C} {{ get; set; }} = "x"; var {c} = @"{s}";',
    "php": "define('{N}', '{s}');",
    "php array": "    '{l}' => '{s}',",
    "ruby": ":{l} => '{s}'",
    "rust": 'let {l} = "{s}";',
    "json": '{{"host": "db1", "{c}": "{s}"}}',
    "pretty json": '{{\n  "{l}": "{s}",\n  "port": 5432\n}}',
    "escaped json": 'curl -d "{{\\"user\\":\\"app\\",\\"{l}\\":\\"{s}\\"}}" https://db1/login',
    "yaml": "db:\n  host: db1\n  {l}: {s}\n  port: 5432\n",
    "quoted yaml": 'db:\n  {c}: "{s}"\n',
    "kubernetes": "        env:\n        - name: {N}\n          value: {s}\n",
    "ecs": '{{"name": "{N}", "value": "{s}"}}',
    "toml": '[db]\n{l} = "{s}"\n',
    "ini": "[db]\nhost=db1\n{l}={s}\n",
    "spaced ini": "[db]\nhost = db1\n{l} = {s}\n",
    "properties": "spring.mail.{d}={s}\n",
    "xml element": "<{c}>{s}</{c}>",
    "xml attribute": '<add key="{C}" value="{s}" />',
    "xml own attribute": '<bean class="x" {c}="{s}"/>',
    "terraform": '  {l} = "{s}"\n',
    "terraform variable": 'variable "{l}" {{\n  default = "x"\n}}\n{l}  =  "{s}"',
    "option": "app --host db1 --{k}={s} --verbose",
    "spaced option": "app --host db1 --{k} {s} --verbose",
    "log": "2026-02-01 03:50:40 DEBUG connecting user=app {l}={s} host=db1",
    "comment": "# {l}: {s}\n",
    "docker run": "docker run -e {N}={s} -d app:latest",
    "compose": "    environment:\n      - {N}={s}\n",
    "powershell": '$env:{N} = "{s}"',
    "batch": "set {N}={s}\r\n",
    "makefile": "{N} ?= {s}\n",
    "comparison": 'if req.{l} == "{s}" {{ allow() }}',
}

NAMES: dict[str, tuple[str, ...]] = {
    "token": ("auth token", "access token", "acme token", "refresh token", "deploy token", "token"),
    "key": ("api key", "secret key", "access key", "encryption key", "acme api key", "signing key"),
    "secret": ("client secret", "app secret", "shared secret", "jwt secret", "webhook secret"),
    "password": ("password", "db password", "smtp password", "admin passwd", "root password"),
}

CHOSEN = (
    "hunter2", "s3cr3t!", "Tr0ub4dor&3", "correcthorse9", "Winter2024!", "P@ssw0rd", "letmein99",
    "qwerty1234", "Passw0rd!23", "b4n4n4-split", "m0nkey#42", "sw0rdf1sh", "Summ3r_2023", "iloveyou7",
    "xK9#mP2$vL5n", "S3rv3r@dm1n", "dr4g0nfly", "pizza&beer4", "abc123!@#", "zaq12wsx", "N0tTheReal1",
    "1qaz2wsx3edc", "Gr33nT3a", "mysql@2019", "changed!9x", "R00tR00t!", "7thHeaven", "blink182",
)  # fmt: skip


def unnamed(dice: Dice) -> tuple[str, str, str]:
    """A secret without a format of its own: its sort, the sort of its name, itself."""
    sort = dice.choice(
        "hex32 hex40 hex64 uuid alnum20 alnum32 base64 dash40 company company2 upper drawn16".split()
        + ["chosen"] * 4
        + ["drawn"] * 2
    )
    made = {
        "hex32": lambda: dice.hex(32),
        "hex40": lambda: dice.hex(40),
        "hex64": lambda: dice.hex(64),
        "uuid": dice.uuid,
        "alnum20": lambda: dice.word(20),
        "alnum32": lambda: dice.word(32),
        "base64": lambda: dice.base64(dice.choice((24, 30, 33))),
        "dash40": lambda: dice.dash(40),
        "company": lambda: f"acme_{dice.choice(('live', 'prod', 'sec'))}_{dice.word(28)}",
        "company2": lambda: f"{dice.run(LOWER, 4)}-{dice.word(24)}",
        "upper": lambda: dice.run(UPPER + "234567", 26),
        "drawn16": lambda: dice.word(16),
        "chosen": lambda: dice.choice(CHOSEN),
        "drawn": lambda: dice.word(6) + dice.choice("!@#%^*+") + dice.word(6) + dice.choice(DIGITS),
    }
    secret = made[sort]()
    if sort in ("chosen", "drawn"):
        return sort, "password", secret
    return sort, dice.choice(("token", "key", "secret")), secret


def shaped(dice: Dice) -> tuple[str, str, str]:
    """Secrets known by the shape around them: sort, text, secret."""
    password = dice.choice((*CHOSEN, dice.word(14), dice.word(18)))
    address = (
        password.replace("@", "%40").replace("#", "%23").replace("&", "%26").replace("/", "%2F")
    )
    key = "\n".join(dice.run(BASE64, 64) for _ in range(12))
    kind = dice.choice(("RSA ", "EC ", "OPENSSH ", "", "ENCRYPTED ", "DSA "))
    block = f"-----BEGIN {kind}PRIVATE KEY-----\n{key}\n-----END {kind}PRIVATE KEY-----"
    basic = base64.b64encode(f"app:{password}".encode()).decode()
    long = dice.word(40)
    made = {
        "postgres": (f"DATABASE_URL=postgres://app:{address}@db.prod.example.net:5432/app?sslmode=require", address),
        "mysql url": (f"url: mysql+pymysql://svc:{address}@10.2.3.4/app", address),
        "mongo": (f'uri = "mongodb+srv://svc:{address}@cluster0.ab1cd.mongodb.net/app"', address),
        "redis": (f"REDIS_URL=redis://:{address}@cache.example.net:6379/0", address),
        "amqp": (f"amqp://worker:{address}@mq.example.net/vhost", address),
        "http": (f"curl https://svc:{address}@repo.example.net/simple/", address),
        "clone": (f"git clone https://oauth2:{long}@git.example.net/a/b.git", long),
        "private key": (f"cat id_rsa\n{block}\n$ ls\n", key),
        "key in json": (json.dumps({"type": "service_account", "private_key": block}), key.splitlines()[3]),
        "key cut short": (f"$ head -5 id\n-----BEGIN {kind}PRIVATE KEY-----\n{key[:200]}", key[:64]),
        "pgp": (f"-----BEGIN PGP PRIVATE KEY BLOCK-----\n\n{key}\n=ab12\n-----END PGP PRIVATE KEY BLOCK-----", key),
        "basic header": (f"Authorization: Basic {basic}", basic),
        "bearer header": (f"headers = {{'Authorization': 'Bearer {long}'}}", long),
        "token header": (f'-H "Authorization: token {dice.hex(40)}"', ""),
        "api key header": (f"X-API-Key: {long}\r\nHost: x\r\n", long),
        "ado connection": (f'"Server=tcp:db1,1433;Database=app;User ID=sa;Password={password};Encrypt=True;"', password),
        "storage connection": (f"DefaultEndpointsProtocol=https;AccountName=a1;AccountKey={dice.base64(64)};EndpointSuffix=core.windows.net", ""),
        "bus connection": (f"Endpoint=sb://x.servicebus.windows.net/;SharedAccessKeyName=Root;SharedAccessKey={dice.base64(32)}", ""),
        "sas": (f"https://a1.blob.core.windows.net/c/f.txt?sv=2022-11-02&se=2026-01-01&sr=b&sp=r&sig={dice.word(43)}%3D", ""),
        "presigned": (f"https://b.s3.amazonaws.com/k?X-Amz-Expires=900&X-Amz-Signature={dice.hex(64)}", ""),
        "slack hook": (f"https://hooks.slack.com/services/T{dice.run(UPPER, 8)}/B{dice.run(UPPER, 8)}/{dice.word(24)}", ""),
        "discord hook": (f"https://discord.com/api/webhooks/{dice.run('123456789', 18)}/{dice.dash(68)}", ""),
        "netrc": (f"machine api.example.net\n  login svc\n  password {password}\n", password),
        "netrc line": (f"machine api.example.net login svc password {password}", password),
        "npmrc": (f"//registry.npmjs.org/:_authToken={dice.uuid()}", ""),
        "curl user": (f"curl -s -u admin:{address} https://x.example.net/api", address),
        "mysql option": (f"mysql -h db1 -u root -p{address} app < dump.sql", address),
        "sshpass": (f"sshpass -p '{password}' ssh root@10.0.0.1", password),
        "docker login": (f"docker login -u ci -p {address} registry.example.net", address),
        "pg variable": (f"PGPASSWORD={address} psql -h db1 -U app", address),
        "sql": (f"CREATE USER app IDENTIFIED BY '{password}';", password),
        "aws pair": (f"aws_access_key_id = x\naws_secret_access_key = {dice.run(BASE64, 39)}a\n", ""),
        "requests": (f'requests.get(url, auth=("svc", "{password}"))', password),
        "smtp": (f'server.login("a@example.net", "{password}")', password),
        "android": (f'<string name="maps_api_key">{long}</string>', long),
        "builder": (f'new Client().withPassword("{password}").build()', password),
        "told in prose": (f"the password is {password} and the user is app", password),
        "wireguard": (f"[Interface]\nPrivateKey = {dice.base64(32)}\nAddress = 10.0.0.2/24", ""),
        "docker auth": (f'{{"auths": {{"r.example.net": {{"auth": "{basic}"}}}}}}', basic),
        "session cookie": (f"Cookie: theme=dark; sessionid={dice.run(LOWER + DIGITS, 32)}", ""),
        "kube token": (f"users:\n- name: ci\n  user:\n    token: {jwt(dice)}\n", ""),
        "form": (f"username=app&password={address}&submit=1", address),
        "rails": (f"secret_key_base: {dice.hex(128)}", ""),
        "django": (f"SECRET_KEY = '{dice.run(LOWER + DIGITS + '!@#%^&*(-_=+)', 50)}'", ""),
        "private tag": (f"note <private>{dice.word(9)} lives at 4 Elm St</private> end", "lives at 4 Elm St"),
    }  # fmt: skip
    sort = dice.choice(sorted(made))
    text, secret = made[sort]
    return sort, text, secret or _tail(text)


def _tail(text: str) -> str:
    """The longest run of a text: the secret, where only one long run is in it."""
    for sign in " \t\r\n\"'=:;,<>{}&?%":
        text = text.replace(sign, " ")
    longest = max(text.split(" "), key=len)
    return longest.split("/")[-1] if longest.startswith("//") else longest


def positives(seed: int = 20_260_201) -> list[Case]:
    dice = Dice(seed)
    cases = []
    for sort, (name, draw) in NAMED.items():
        for place in dice.sample(sorted(ANYWHERE), 10):
            secret = draw(dice)
            if place in ("git remote", "url query"):  # an address has no bare slash in there
                secret = secret.replace("/", "_").replace("+", "-")
            cases.append(Case(sort, place, ANYWHERE[place].format(n=name, s=secret), secret, True))
    for _ in range(400):
        sort, text, secret = shaped(dice)
        cases.append(Case(f"shape: {sort}", "as it is", text, secret, True))
    for _ in range(550):
        sort, named, secret = unnamed(dice)
        place = dice.choice(sorted(TOLD))
        if '"' in secret or "'" in secret:
            continue
        cases.append(
            Case(f"unnamed: {sort}", place, told(place, dice.choice(NAMES[named]), secret), secret)
        )
    return cases


def told(place: str, name: str, value: str) -> str:
    words = name.split(" ")
    camel = words[0] + "".join(word.title() for word in words[1:])
    return TOLD[place].format(
        s=value,
        N="_".join(words).upper(),
        l="_".join(words),
        c=camel,
        C=camel[0].upper() + camel[1:],
        k="-".join(words),
        d=".".join(words) if len(words) > 1 else words[0],
    )
