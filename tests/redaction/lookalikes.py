# ruff: noqa: E501 (texts as they are met)
"""More texts that look as if they held a secret, in the surroundings of redaction/shapes.py.

One a line; a text of several lines is a block of its own. What is «drawn» opens nothing.
"""

from __future__ import annotations

from redaction.corpus import Case, Dice
from redaction.shapes import drawn

SEED = 20_261_119

LINES = """
password: "Passwort"
password: "contraseña"
password: 'mot-de-passe',
"password": "Lozinka",
"password": "wachtwoord",
"password": "hasło",
"password": "пароль",
"password": "パスワード",
"password": "senha",
"newPassword": "neues-passwort",
password = "Kennwort"
PASSWORD_LABEL = "Passwort"
"forgotPassword": "Passwort vergessen?",
"login.password.placeholder": "Passwort",
msgid "password"
msgstr "contraseña"
"token": "jeton",
"secret": "geheim",
"apiKey": "clave-de-api",
passwordHint: "mindestens-8-zeichen",
confirmPassword: "passwort-bestaetigen",
t("password", "Passwort")
<string name="password">Passwort</string>
<string name="confirm_password">Passwort wiederholen</string>
<trans-unit id="password"><source>password</source><target>salasana</target></trans-unit>
password=Passwort
login.password=Kennwort
label.password = Mot de passe
SSL_AUTH=required
HAS_AUTH = "x509-client2"
SKIP_AUTH=1
require_auth: mutual-tls-v2
NEEDS_AUTH="kerberos5p"
OAUTH = "google-oauth2-v3"
const NO_AUTH = "anonymous2";
type: OAUTH2_AUTH
'auth': 'django.contrib.auth2'
auth = "scram-sha-256"
POSTGRES_HOST_AUTH_METHOD=trust
POSTGRES_INITDB_ARGS=--auth-host=scram-sha-256
httpAuth: "basic-v1.2"
auth: oauth2-proxy-7.5
AUTH_TYPE = "api_key_v2"
IS_TOKEN = "tok2vec"
token = "tok_123"
tokenKind: "T_STRING2"
TOKEN = "<|endoftext|>"
eos_token="</s>", bos_token="<s>", pad_token="[PAD]"
special_tokens = ["<|im_start|>", "<|im_end|>"]
sort_key = "created_at2"
key = "settings.theme.v2"
storageKey: "app-state-v3"
const STORAGE_KEY = "vuex-persist-2024";
cacheKey = "products:list:v12"
React.createElement("li", { key: "row-12" })
primaryKey: 'user_id2'
partition_key="tenant#42"
key="btn-primary-2x"
accessKey="s"
hotkey: "ctrl+shift+p"
keyCode: 13, which: 13
keyframes: "fade-in 0.3s"
.password-input__icon--visible2 { color: #«~hex8»; }
<div class="password-field mt-2 px-4"></div>
<input id="password2" type="password" autocomplete="new-password" />
<input type="password" value="" placeholder="Mindestens 8 Zeichen"/>
<PasswordInput label="Password" value={password} onChange={setPassword} />
:password="form.password2"
v-model="user.password"
input[type=password]:focus{outline:0}
#password-strength-meter.level-4
--color-token-string: #a5d6ff;
def test_password_with_8_chars_is_rejected(self):
it("rejects a password shorter than 8 characters", async () => {
test('token expires after 3600s', () => {})
describe("api key: rotation v2", function () {
FAILED tests/test_auth.py::test_token_refresh[oauth2-v1] - AssertionError: assert 401 == 200
tests/auth/test_password.py::TestReset::test_reset_2fa PASSED [ 42%]
✓ password reset sends an email (45ms)
def set_password(self, password: str = None, *, salt: bytes = b"") -> None:
func NewClient(token string, secret string) (*Client, error) {
public Task<string> GetToken(string apiKey, CancellationToken token = default)
fn verify(password: &str, hash: &str) -> Result<bool, Error>
function login(user: string, password: string): Promise<Token2>
password: Annotated[str, Field(min_length=8)]
password: SecretStr
api_key: Optional[SecretStr] = None
password: Mapped[str] = mapped_column(String(255))
password = serializers.CharField(write_only=True, min_length=8)
password = models.CharField(max_length=128)
token: Option<Base64String>
token = Column(String(64), unique=True)
secret: Uint8Array<ArrayBuffer>;
key: Uint8Array[32]
passwd: *const c_char,
private String apiKey;
@Value("${app.api-key}") private String apiKey;
password: ${DB_PASSWORD}
password: "{{ vault_db_password }}"
password: !vault |
password: !Ref DbPassword
password: {{ .Values.auth.password | quote }}
password = var.db_password
password = random_password.db.result
password = data.aws_secretsmanager_secret_version.db.secret_string
token = local.tokens["ci"]
secret_key = file("${path.module}/key.txt")
TOKEN=$(gh auth token)
PASSWORD=$(openssl rand -base64 32)
export PASSWORD=`cat /run/secrets/db`
DB_PASSWORD=${DB_PASSWORD:?missing}
DB_PASSWORD=${DB_PASSWORD:-}
gh secret set NPM_TOKEN --body "$NPM_TOKEN"
gh secret set DEPLOY_KEY < ~/.ssh/deploy
gh secret list --repo acme/app
echo "$TOKEN" | gh auth login --with-token
docker login -u "$USER" --password-stdin ghcr.io
openssl rsa -in key.pem -passin env:KEY_PASS
openssl rsa -in key.pem -passin file:pass.txt
openssl rsa -passin pass:$PASS -in a.pem
kubectl create secret generic db --from-env-file=.env
kubectl create secret tls web --cert=tls.crt --key=tls.key
kubectl get secrets -n prod -o name
aws secretsmanager rotate-secret --secret-id prod/db-2
az keyvault secret show --name db-password-2 --vault-name kv1
vault kv get secret/app
helm template . --set auth.existingSecret=db-auth-2
az login --service-principal -u $ID -p $SECRET --tenant $T
mkdir -p build && cp -p a.txt b.txt
ssh -p 2222 deploy@10.0.0.4
docker run -p 8080:80 -e TZ=UTC nginx:1.25
nmap -p 1-65535 10.0.0.1
rsync -avP src/ dst/
zip -r release-2.1.zip dist/
redis-cli -a "$REDIS_PASSWORD" ping
mysql -uroot -p"$MYSQL_ROOT_PASSWORD" app
psql "host=db1 user=app password=$PGPASSWORD"
process.env.API_KEY || ""
process.env.TOKEN || "test"
const region = process.env.AWS_REGION || "us-east-1";
const key = process.env.CACHE_KEY || "default-cache-v1";
const secretName = process.env.SECRET_NAME || "prod/app-2/db";
os.getenv("TOKEN_URL", "https://auth.example.net/v2/token")
os.environ.get("KEY_PREFIX", "app-v2")
os.getenv("AUTH_MODE", "oauth2-pkce")
env('PASSWORD_BROKER', 'users2')
getEnv("TOKEN_TTL", "3600s")
ENV.fetch("PASSWORD_MIN_LENGTH", "12")
System.getenv().getOrDefault("KEY_ALIAS", "app-key-1")
The user's password must contain at least 8 characters, 1 digit and 1 symbol.
Use password managers and rotate secrets every 90 days.
use password authentication instead of ident
use password-based login for the admin2 account
use the password reset flow from v2.1
please use the password field in step 3
the password is too short (minimum is 8 characters)
the password is stored as bcrypt-12 in users.password_hash
the password is hashed with PBKDF2-SHA256
the password is wrong.
my api key is not working
my api key for the weather service is expired since 2024-05-01
the token for staging is in 1Password
the token is 32 bytes long
the token is of type JWT2
the secret is base64-encoded
the secret is rotated by cron-job-7
the key is "user:42:profile"
the key for the cache is commit «~hex40»
the token endpoint is https://auth.example.net/oauth2/v1/token
set the password to an empty string
set the token to None in test_user2
with the password from step-2
password authentication failed for user "svc2"
pass: 12, fail: 3
passed=14 failed=0
passes: 212
pass 2 of 3: optimizing
first pass: 12ms
pass through: 80%
ok 3 - password: rejects 7chars
Key Vault: kv-prod-01
Key: F12
Keys: Ctrl+K, Ctrl+S
key: value1
keys: [a1, b2, c3]
PRIMARY KEY (id2)
FOREIGN KEY (user_id) REFERENCES users(id)
api_key: read:user2
API key: see docs/api-keys.md#section-2
API key name: ci-deploy-2024
Access key ID: see the console
token_count=12801 token_limit=200k
tokens: 12.4k in, 1.1k out
Total tokens: 1,204,551
tokens/s: 48.3 (p95 51.2)
secret_version = "v12"
secretName: tls-wildcard-2024
secret: db-credentials-v2
imagePullSecrets: [{name: regcred-2}]
existingSecret: postgres-auth-2
client_id = web-app-2
src="data:image/png;base64,«~base64-300»"
url(data:font/woff2;base64,«~base64-300»)
"token_icon": "data:image/svg+xml;base64,«~base64-300»"
  "image/png": "iVBORw0KGgoAAAANSUhEUg«~base64-300»"
"key": "iVBORw0KGgoAAAANSUhEUg«~base64-300»",
password_icon = "iVBORw0KGgoAAAANSUhEUg«~base64-300»"
const tokenLogo = "/9j/4AAQSkZJRgABAQ«~base64-300»";
secret_png: R0lGODlhAQABAIAAAAAAAP«~base64-300»
auth_font = "d09GMgABAAAAA«~base64-300»"
key_art = "UklGR«~base64-300»"
//# sourceMappingURL=data:application/json;base64,eyJ2ZXJzaW9uIjozLCJ«~base64-300»
!function(e,t){var n=t.password||"",r=e.token2,o=e.key;return n?a(r,o):b(n,"x1")}(a,b);
const e=e=>{let{password:t,token:n,...r}=e;return o({p:t,k:n,a:1})};
e.token=t.token2,e.key="k"+r++,i.password=u?1:0;
function t(e){return"password"===e.type||"token"===e.kind2}
case"token":return n.sent(2);case"password":return r.abrupt("return",!1);
"integrity": "sha512-«~base64»+«~base64»==",
checksum = "«~hex64»"
  checksum: 10/«~hex64»
    "@acme/auth-token@npm:^2.1.0":
auth-token@2.1.3, password-hash@1.2.2, api-key-v2@0.1.0
github.com/acme/secret v1.2.3 h1:«~base64»=
"token-types-5.0.1.tgz#«~hex40»"
commit «~hex40» (HEAD -> fix/token-key-2)
    Merge branch 'feature/api-key-v2' into main
index «~hex8»..«~hex8» 100644 src/auth/password2.py
 create mode 100644 tests/auth/test_token_v2.py
 rename src/{key => token2}.ts (97%)
 src/password_reset_v2.py | 12 +++++-----
* [new branch] fix/auth-key-77 -> origin/fix/auth-key-77
On branch key/rotate-2024
stash@{0}: WIP on token: «~hex8» use password hashing v2
git log --author="Jane" --grep "token-2"
[main «~hex8»] Rotate the api key: see RFC-77
«~uuid» token service healthy
trace_id=«~hex32» auth=ok
request key «~uuid» took 12ms
session key: «~uuid»
{"token": "NUMBER", "value": "42", "line": 3}
{"type": "password", "name": "password", "label": "Password2"}
{"name": "password", "type": "string", "value": "required"}
{"name": "token", "description": "the token", "value": true}
{"key": "theme", "value": "solarized-dark-2"}
{"key": "build-id-2024", "val": "«~hex40»"}
{"args": ["--token", "$TOKEN"]}
{"args": ["--password", "<password>"]}
["password", "token2", "secret-name"]
args: ["--key", "id2"]
("password", "token", "key2")
VALUES ('alice', 'password', 'token');
INSERT INTO settings (key, value) VALUES ('theme2', 'dark');
INSERT INTO users (name, password) VALUES ($1, $2);
INSERT INTO users (name, password) VALUES (?, crypt(?, gen_salt('bf', 8)));
SELECT password FROM users WHERE id = 42;
CREATE ROLE app LOGIN PASSWORD NULL;
ALTER USER app PASSWORD :'pw';
COPY users (name, password_hash) FROM stdin;
await page.fill('#password', password);
await page.fill('#password', process.env.TEST_PASSWORD!);
cy.get('#password').should('have.attr', 'type', 'password')
expect(screen.getByLabelText('Password')).toHaveValue('')
page.getByLabel('Password').press('Enter')
getByPlaceholderText("Password").focus()
req.Header.Set("Authorization", "Bearer "+token)
headers.set("X-Api-Key", apiKey2)
monkeypatch.setenv("TOKEN_FILE", "/tmp/token2")
localStorage.getItem("token_v2")
localStorage.removeItem("access_token")
CREDENTIALS = ("username", "password")
auth=("user", "pass")
auth: [user, password]
credentials: ["include", "same-origin"]
<password>${db.password}</password>
<password/>
<key>CFBundleShortVersionString</key><string>2.14.1</string>
<key>KeyEquivalent</key><string>k2</string>
<token type="id">x2</token>
<Key Name="id"/><Property Name="Password" Type="Edm.String"/>
Password: ********
Password: (hidden)
Password:
Password for 'https://svc@git.example.net':
Enter password for user svc2:
[sudo] password for deploy2:
New password: Retype new password:
Enter passphrase for key '/home/svc/.ssh/id_ed25519':
db1.example.net:5432:app:svc:
tcp:10.0.0.1:5432:open:postgres:9.6
src/auth.py:12:5:E501:line-too-long-2
error:0308010C:digital envelope routines::unsupported
12:30:45:123:auth:started2
localhost:3000:web:api:v2
2026-01-02:10:00:00:worker:job42
name,type,token_count
alice,admin,1201
JWK: {"kty":"RSA","e":"AQAB","n":"«~base64-300»"}
{"kty":"EC","crv":"P-256","x":"«~jwk»","y":"«~jwk»","kid":"«~uuid»"}
{"d": "M12 2L2 7l10 5 10-5-10-5z", "k": "path2"}
user: admin pass: true
creds: see vault:secret/app2
credentials are in ~/.aws/credentials
sign in with username and password (step 2)
credentials: admin/editor roles
const keyOf = <T,>(k: keyof T) => `key-${k}2`;
static final long serialVersionUID = 42L; // key
x-api-key: {{apiKey}}
X-Api-Key: $API_KEY
Authorization: Bearer {token}
Authorization: AWS4-HMAC-SHA256
WWW-Authenticate: Bearer realm="api2", error="invalid_token"
Access-Control-Allow-Headers: Authorization, X-Api-Key, Content-Type
Set-Cookie: theme=solarized2; Path=/
Cookie: consent=yes-2024; lang=de-CH
if (token === "refresh2") {
switch (key) { case "Escape2": close(); }
assert token == "abc"
assert "password" in response.text
raise AuthError("token v2 expired")
log.info("key rotated: version=%s", v2)
print(f"password: {len(password)} chars")
console.log("token", token.slice(0, 4))
printf("Password: %s\\n", mask(pw));
echo "Password set: yes (bcrypt-12)"
fatal: Authentication failed for 'https://git.example.net/acme/app2.git/'
remote: Invalid username or password2fa required
Error: secret "db-auth-2" not found
error[E0425]: cannot find value `token2` in this scope
NameError: name 'api_key2' is not defined
TypeError: Cannot read properties of undefined (reading 'token2')
KeyError: 'password2'
KeyError: 'x1-y2'
warning: unused variable: `secret_key2`
undefined: auth.Token2
Missing key: auth.2fa.label
"auth/invalid-credential-v2": "Ungültig"
pwd: /home/svc/app2
PWD=/srv/app2
$ pwd
pwd && ls -la2
"""

BLOCKS = (
    "password:\n  type: string\n  minLength: 8\n",
    "Password:\n\n  - at least 8 characters\n  - one digit\n",
    "secrets:\n  db_password2:\n    external: true\n",
    "token:\n  description: the token of v2\n",
    "The password:\nmust be 12 characters long.\n",
    "api_key:\n    required: true\n",
    "const token =\n  await getToken2(user);\n",
    "TOKEN = (\n    load_token('v2')\n)\n",
    "return password ===\n  confirm2;\n",
    "## Password\n\nHash it with argon2id.\n",
    "Key:\n1. blue = open\n2. red = closed\n",
    "export interface Auth {\n  token:\n    | string2\n    | null;\n}\n",
    "name,key,count\nalice,row-1,12\nbob,row-2,13\n",
    "id,token,pos,lemma\n1,running,VERB,run\n2,dogs,NOUN,dog\n",
    "file,password_tests,passed\nauth_test.py,12,12\n",
    "key;value\ntheme2;dark\nlang;de-CH\n",
    "metric,input_tokens,output_tokens\nrun-1,1201,88\nrun-2,1410,91\n",
    "user,password_changed,last_login\nalice,2024-01-02,2024-02-03\n",
    "| key | action |\n|---|---|\n| F12 | open devtools |\n| ctrl+k2 | palette |\n",
    "| name | password | note |\n|---|---|---|\n| svc | <redacted> | rotate |\n",
    "| field | type |\n|---|---|\n| password | string |\n| token2 | uuid |\n",
    "| test | token | result |\n|---|---|---|\n| 1 | IDENT | ok |\n",
    "\x1b[32mPASS\x1b[0m src/auth/token2.test.ts\n",
    "\x1b[1mpassword\x1b[0m: \x1b[3mrequired\x1b[0m\n",
    "\x1b[31m-  password: str\x1b[0m\n\x1b[32m+  password: SecretStr\x1b[0m\n",
    "Access key: rotate it\n«~hex40»\n",
    "commit «~hex40»\n\n    Remove the secret key\n",
    "$ git rev-parse token\n«~hex40»\n",
    "the key:\n«~uuid»\n",
    "Token:\nsrc/lexer/token2.rs\n",
    "password\n--------\n(0 rows)\n",
    "expect 'assword:'\nsend \"$PASSWORD\\r\"\n",
    "dependencies:\n  auth-key:\n    version: 2.1.3\n    checksum: «~hex64»\n",
    "USER svc\nPASS tests/auth_test.go\n",
    "--password\n    The password of the account (v2).\n",
    "  --token TOKEN2    token for the API\n  --key FILE        key file\n",
    "args:\n- --token-file\n- /var/run/token2\n",
    "env:\n- name: DB_PASSWORD\n  valueFrom:\n    secretKeyRef:\n      name: db-2\n      key: password\n",
    "<param-name>passwordPolicy</param-name>\n<param-value>strict2</param-value>\n",
    "<auth>\n  <type>oauth2</type>\n</auth>\n",
    "@@ -1,3 +1,3 @@\n-  \"password\": \"Passwort\",\n+  \"password\": \"Kennwort\",\n",
    "-    token: str\n+    token: Token2 | None\n",
    "password: |\n  The password of the user (see RFC-2).\n",
    "describe('auth', () => {\n  it('password: 8chars', ok2)\n})\n",
)  # fmt: skip


def lookalikes(seed: int = SEED) -> list[Case]:
    dice = Dice(seed)
    texts = [(line, "line") for line in LINES.strip().splitlines()]
    texts += [(block, "block") for block in BLOCKS]
    return [Case(text[:60], place, drawn(text, dice)[0], "") for text, place in texts]
