# ruff: noqa: E501 (one case a line)
"""Texts that look as if they held a secret, and hold none: they must come through unaltered."""

from __future__ import annotations

import base64
import hashlib
import json
import string

from redaction.corpus import TOLD, Case, Dice, told

HEX = "0123456789abcdef"
STAND_INS = (
    "<token>", "${TOKEN}", "$TOKEN", "xxxxxxxxxxxx", "****", "your-api-key", "YOUR_API_KEY_HERE",
    "changeme", "{{ secrets.TOKEN }}", "<your password>", "<PASSWORD>", "REPLACE_ME", "[REDACTED]",
    "...", "$(pass show db)", "${{ secrets.DEPLOY_TOKEN }}", "%TOKEN%", "xxxx-xxxx-xxxx", "********",
    "insert-token-here", "placeholder", "example", "your_password_here", "${DB_PASSWORD:-}", "null",
)  # fmt: skip

CODE = """
password = get_password()
password == other
if password != confirm_password:
    raise ValueError("passwords do not match")
password: str
password: string;
password?: string | null
def login(username: str, password: str, token: Optional[str] = None) -> Session:
token = os.environ["GITHUB_TOKEN"]
token = os.environ.get("API_TOKEN", "")
const token = process.env.API_TOKEN;
const apiKey = process.env.OPENAI_API_KEY || "";
apiKey: process.env.ANTHROPIC_API_KEY!,
let secret = env::var("APP_SECRET")?;
String password = request.getParameter("password");
password := os.Getenv("DB_PASSWORD")
token, err := client.Login(ctx, username, password)
return jwt.sign({ id: user.id }, config.jwtSecret, { expiresIn: "1h" });
self.token = token
this.password = password;
user.setPassword(passwordEncoder.encode(dto.getPassword()));
assert response.json()["token"] is not None
<input type="password" name="password" placeholder="Password" />
<label for="password">Password</label>
password: Joi.string().min(8).required(),
password: z.string().min(8).max(72),
password: { type: String, required: true, select: false },
"password": "Mot de passe",
"password": "Passwort",
'password' => 'required|string|min:8',
validates :password, length: { minimum: 8 }
password_field = page.locator("#password")
driver.find_element(By.ID, "password").send_keys(password)
tokens = tokenizer.encode(text)
max_tokens: 4096
"max_tokens": 1024, "temperature": 0.7
"input_tokens": 35183, "output_tokens": 1201, "cache_read_input_tokens": 90210
next_page_token = response.get("nextPageToken")
token_type: bearer
"token_type": "Bearer", "expires_in": 3600
grant_type=password&client_id=web
public_key = load_public_key("keys/prod.pub")
primary_key: true
cache_key = f"user:{user_id}:profile"
key = "user-settings-panel"
queryKey: ['users', userId]
for key, value in items.items():
key: value
sort_key = "created_at"
keyboard: "qwerty"
monkeypatch.setenv("HOME", str(tmp_path))
author: "Jane Doe <jane@example.net>"
authority = "accounts.example.net"
authentication: required
secretName: db-credentials
secretKeyRef:
  name: db-credentials
  key: password
passwordSecret: my-release-postgresql
- secret/data/app/config
vault kv get -field=password secret/prod/db
aws secretsmanager get-secret-value --secret-id prod/db/password
kubectl get secret db-credentials -o jsonpath='{.data.password}'
gh secret set NPM_TOKEN < token.txt
read -s -p "Password: " password
echo "$PASSWORD" | docker login -u ci --password-stdin
git config credential.helper store
PASSWORD_FILE=/run/secrets/db_password
POSTGRES_PASSWORD_FILE: /run/secrets/postgres
ssh-keygen -t ed25519 -f ~/.ssh/id_ed25519 -N ""
mkdir -p build/output && cp -p a b
curl -u "$USER:$TOKEN" https://api.example.net
curl -u username:password https://api.example.net
docker run -u 1000:1000 -p 8080:80 nginx
mysql -u root -p app
git push -u origin main:main
const PASSWORD_REGEX = /^(?=.*[A-Z])(?=.*\\d).{8,}$/;
The password is wrong, and the token has expired.
password is required
Error: invalid token: unexpected end of input
error: password authentication failed for user "app"
The API key is missing. Set the token in your settings.
--- PASS: TestLogin2FA (0.00s)
PASS: Test3Ways
    --- PASS: TestPasswordHash/bcrypt_10 (0.05s)
ok  	example.net/auth/token	0.012s
the secret is stored in Vault, the key in KMS
Use a strong password: at least 12 characters, one digit.
password reset link sent to jane2@example.net
token = lexer.next_token()
case Token::Identifier(name) => self.advance(),
Token(type='NUMBER', value='42', line=3)
if token.kind == "string_literal_2":
const Token2 = styled.div`color: ${theme.token};`
func (s *Server) authToken(ctx context.Context) (string, error) {
type Credentials struct { Username string; Password string }
interface Auth { token: string; secret: string }
password VARCHAR(255) NOT NULL,
ALTER TABLE users ADD COLUMN password_hash TEXT;
UPDATE users SET password = crypt(:password, gen_salt('bf')) WHERE id = 7;
SELECT token, key FROM sessions WHERE key = 'theme';
@app.route("/reset-password/<token>")
https://example.net/reset?token=<token>
https://user:password@example.net/path
postgres://user:pass@localhost:5432/db
postgresql://postgres:postgres@localhost:5432/test
redis://localhost:6379/0
postgres://${DB_USER}:${DB_PASSWORD}@${DB_HOST}/app
https://{user}:{password}@example.net/
mongodb://<username>:<password>@cluster0.mongodb.net/test
git@github.com:acme/app.git
ssh://git@example.net:2222/acme/app.git
https://example.net/@scope/package@1.2.3
npm install @types/node@20.11.5 react@18
https://cdn.example.net/lib@4.17.21/lodash.min.js
https://example.com:8080/path@2x.png
-----BEGIN PUBLIC KEY-----
if strings.Contains(line, "-----BEGIN RSA PRIVATE KEY-----") {
grep -rn "BEGIN OPENSSH PRIVATE KEY" .
-----BEGIN PRIVATE KEY-----\\n...\\n-----END PRIVATE KEY-----
sk-learn is a library, ghp_ a prefix and AKIA the start of an id
pip install scikit-learn task-runner-with-a-long-name-2024
xoxb- tokens start like this
"prefix": "ghp_"
hf_model_name_or_path = "bert-base-uncased"
npm_config_registry=https://registry.npmjs.org/
npm_lifecycle_event=postinstall_and_everything_else
re_compile_pattern_for_the_parser_v2
sk_buff structures are allocated in alloc_skb_with_frags
test_password_reset_sends_mail_v2_and_expires_token
live_reload_server_with_websocket_support_2
b_tree_index_scan_with_condition_and_limit_pushdown1
Authorization: Bearer <token>
Authorization: Bearer $TOKEN
Authorization: Basic <credentials>
"Authorization": `Bearer ${token}`
-H "Authorization: Bearer ${GITHUB_TOKEN}"
Cookie: theme=dark; lang=en
Set-Cookie: lang=de; Path=/; HttpOnly
session_id = "3f2a"
auth: none
auth = HTTPBasicAuth(user, password)
auth=(user, password)
requests.get(url, auth=(USER, PASSWORD))
server.login(user, password)
credentials: 'include'
credentials = service_account.Credentials.from_service_account_file(path)
secret: true
token: ''
password=""
password = None
PASSWORD=
api_key = ""
apiKey={apiKey}
token={props.token}
key={item.id}
:key="item.id"
<Key.enter>
{"key": "Enter", "code": "Enter"}
keydown: "ArrowLeft"
tokens per second: 48.3
5 passed, 2 failed in 3.20s
passing: 128, pending: 4
bypass: true
compass=north
""".strip().splitlines()

FILE_NAMES = (
    "src/auth/token_service.py:120", "internal/secrets/password_store_v2.go", "docs/api-keys.md",
    "a/long/path/to/some/file_with_a_name.py", "tests/fixtures/token_2024_expired.json",
    "/usr/lib/python3.11/site-packages/keyring/backends/SecretService.py", "~/.ssh/id_rsa.pub",
    "node_modules/@babel/helper-validator-identifier/lib/keyword.js", "C:\\\\Users\\\\app\\\\key.pem",
)  # fmt: skip


def near_misses(seed: int = 20_260_202) -> list[Case]:
    dice = Dice(seed)
    cases = [Case("code", "line", line, "") for line in CODE]
    for _ in range(320):
        place = dice.choice(sorted(TOLD))
        name = dice.choice(
            ("api key", "auth token", "password", "db password", "client secret", "token")
        )
        value = dice.choice(STAND_INS)
        if ("'" in value and "'" in TOLD[place]) or ('"' in value and '"' in TOLD[place]):
            continue
        cases.append(Case("stand-in", place, told(place, name, value), ""))
    while len(cases) < 1_560:
        cases.append(_drawn(dice))
    return cases


def _drawn(dice: Dice) -> Case:
    """A random string that opens nothing, where such strings stand."""
    sha, long, id_ = dice.hex(40), dice.hex(64), dice.uuid()
    b64 = base64.b64encode(dice.randbytes(64)).decode()
    made = {
        "commit": f"commit {sha}\nAuthor: Jane <jane@example.net>",
        "short commit": f"{sha[:7]} Remove the token from the log",
        "commit in prose": f"the key change is {sha}, which removed the password prompt",
        "range": f"git diff {sha}..{dice.hex(40)} -- src/auth/token.py",
        "tree": f"100644 blob {sha}\tsrc/secrets/key.py",
        "checkout": f"HEAD is now at {sha[:9]} Add api key rotation",
        "uuid": f'{{"id": "{id_}", "type": "session"}}',
        "session": f"session_id={id_} tokens=1200",
        "session path": f"/tmp/sessions/{id_}.jsonl",
        "request": f"x-request-id: {id_}",
        "tool use": f'"id": "toolu_01{dice.word(22)}", "tool": "Bash", "tokens": 12',
        "message": f"msg_01{dice.word(22)} used 1200 tokens",
        "sha256": f"sha256:{long}",
        "image": f"FROM node:22@sha256:{long}",
        "digest line": f"{long}  dist/app-1.2.3.tar.gz",
        "md5": f"{dice.hex(32)}  keys.db",
        "integrity": f'"integrity": "sha512-{b64}"',
        "yarn": f'  resolved "https://registry.yarnpkg.com/a/-/a-1.0.0.tgz#{sha}"',
        "pip": f"    --hash=sha256:{long} \\",
        "go.sum": f"golang.org/x/crypto v0.21.0 h1:{base64.b64encode(dice.randbytes(32)).decode()}",
        "poetry": f'    {{file = "a-1.0-py3-none-any.whl", hash = "sha256:{long}"}},',
        "cargo": f'checksum = "{long}"',
        "etag": f'ETag: W/"{dice.hex(32)}"',
        "public key": f"ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAAB{dice.run(string.ascii_letters, 200)} jane@host",
        "ed25519": f"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI{dice.word(43)} deploy key",
        "public setting": f'public_key = "AAAAB3NzaC1yc2E{dice.word(60)}"',
        "certificate": f"-----BEGIN CERTIFICATE-----\n{b64}\n-----END CERTIFICATE-----",
        "public block": f"-----BEGIN PUBLIC KEY-----\n{b64}\n-----END PUBLIC KEY-----",
        "fingerprint": f"SHA256:{dice.word(43)} key (ED25519)",
        "image data": f'src="data:image/png;base64,{b64}"',
        "base64 line": f"{b64}",
        "file": f"edited {dice.choice(FILE_NAMES)} and its tests",
        "file setting": f"key_file = {dice.choice(FILE_NAMES[:6])}",
        "token file": f'TOKEN_PATH="{dice.choice(FILE_NAMES[:6])}"',
        "publishable": f"STRIPE_PUBLISHABLE_KEY={'pk' + '_live_'}{dice.word(24)}",
        "arn": f"arn:aws:secretsmanager:us-east-1:{dice.run('123456789', 12)}:secret:prod/db-AbCdEf",
        "cache key": f'cache-key: node-modules-{dice.hex(64)}',
        "idempotency": f"Idempotency-Key: {id_}",
        "translation": f'"auth.password.label": "Password", "auth.token.{dice.run(string.ascii_lowercase, 5)}": "Token"',
        "migration": f"revision = '{dice.hex(12)}'\ndown_revision = '{dice.hex(12)}'",
        "hash route": f"https://example.net/blob/{sha}/src/key.ts#L{dice.randrange(99)}",
        "asset": f"/assets/token-{dice.hex(8)}.js",
        "css": f"--token-color-{dice.randrange(9)}: #{dice.hex(6)};",
        "colour": f'keyColor: "#{dice.hex(6)}"',
        "version": f"token-service@{dice.randrange(9)}.{dice.randrange(20)}.{dice.randrange(9)}-rc.1",
        "time": f"token expires at 2026-0{dice.randrange(1, 9)}-1{dice.randrange(9)}T10:30:00.000Z",
        "number": f"tokens: {dice.randrange(10**9)}, key: {dice.randrange(10**6)}",
        "account": f"account_id = {dice.run('123456789', 12)}",
        "client id": f"client_id: {dice.run('123456789', 12)}-{dice.run('abcdefghij0123456789', 32)}.apps.googleusercontent.com",
        "sentry dsn": f"https://{dice.hex(32)}@o{dice.randrange(10**6)}.ingest.sentry.io/{dice.randrange(10**6)}",
        "hash value": f'"password_sha": "", "file_hash": "{long}"',
        "object id": f'"_id": {{"$oid": "{dice.hex(24)}"}}',
        "hash map": json.dumps({"keys": [hashlib.sha1(bytes([dice.randrange(256)])).hexdigest()]}),
        "test name": f"test_token_{dice.randrange(100)}_is_refused_when_the_key_is_old PASSED",
        "coverage": f"src/auth/password.py {dice.randrange(200)} {dice.randrange(20)} 9{dice.randrange(9)}%",
        "snowflake": f"channel {dice.run('123456789', 18)} of the bot with a token",
        "model": "model = 'claude-sonnet-4-20250514', max_tokens = 8192",
        "hex colour list": " ".join(f"#{dice.hex(6)}" for _ in range(6)),
        "ip": f"auth server 10.0.{dice.randrange(255)}.{dice.randrange(255)}:8443 key exchange ok",
        "mac": ":".join(dice.hex(2) for _ in range(6)) + " key pressed",
    }  # fmt: skip
    sort = dice.choice(sorted(made))
    return Case(sort, "drawn", made[sort], "")
