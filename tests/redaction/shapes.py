# ruff: noqa: E501 (texts as they are met)
"""Shapes in which coding agents meet secrets: what is drawn goes into «...», and must go whole.

Each shape is a text as it stands in a terminal, a file, a prompt or a tool's input. «password» and
its like are drawn at run time, so that nothing that looks like a credential is committed; «~word»
is drawn too, and opens nothing. `PROBES` are shapes of which a secret was once kept. Of `SHAPES`
every second one (by name) is the half that rules are written for; the other half is only counted.
"""

from __future__ import annotations

import base64
import re

from redaction.corpus import CHOSEN, DASH, HEX, LOWER, UPPER, Case, Dice

DRAWS = 3
SEED = 20_261_118
PLACE = re.compile("«([^»]{1,20})»")
WORDS = (
    "correct horse battery staple otter velvet canyon marble tiger rocket sunset lantern copper"
    " meadow falcon winter summer dragon pepper cobalt harbor walnut thunder pickle wizard"
).split()


def _phrase(dice: Dice) -> str:
    first, second, third = dice.sample(WORDS, 3)
    return f"{first}-{second}-{dice.randrange(10, 99)}-{third}"


def _safe(dice: Dice) -> str:
    """A password without a sign that a shell or an address gives a meaning to."""
    word = dice.choice(WORDS)
    return dice.choice(
        (
            _phrase(dice),
            dice.word(14) + dice.choice("123456789"),
            f"{word.title()}{dice.randrange(1960, 2030)}",
            f"{word}{dice.randrange(10, 9999)}",
            f"{word.replace('e', '3').replace('o', '0').replace('a', '4')}_{dice.randrange(10, 99)}",
            f"{word.title()}.{dice.choice(WORDS).title()}.{dice.randrange(10, 99)}",
        )
    )


def _password(dice: Dice) -> str:
    signed = f"{dice.choice(WORDS).title()}{dice.choice('!@#%^*+')}{dice.randrange(10, 9999)}"
    return dice.choice((_safe(dice), dice.choice(CHOSEN), signed, _drawn(dice)))


def _drawn(dice: Dice) -> str:
    return f"{dice.word(6)}{dice.choice('!@#%^*+=~?')}{dice.word(5)}{dice.choice('123456789')}"


def _punctuated(dice: Dice) -> str:
    """With a sign inside that ends values elsewhere."""
    return f"{dice.word(5)}{dice.choice(',;:()]}&|/')}{dice.word(6)}{dice.choice('123456789')}"


def _token(dice: Dice) -> str:
    return dice.choice(
        (
            dice.hex(32),
            dice.word(32),
            dice.dash(40),
            dice.word(24),
            f"acme_{dice.word(28)}",
            dice.hex(48),
        )
    )


def _number(dice: Dice, size: int) -> str:
    return dice.run("123456789", size)


DRAWN = {
    "password": _password,
    "safe": _safe,
    "phrase": _phrase,
    "punctuated": _punctuated,
    "token": _token,
    "hex": lambda dice: dice.hex(dice.choice((32, 40, 48, 64))),
    "hex32": lambda dice: dice.hex(32),
    "hex40": lambda dice: dice.hex(40),
    "hex64": lambda dice: dice.hex(64),
    "hex8": lambda dice: dice.hex(8),
    "base64": lambda dice: dice.base64(32),
    "base64-300": lambda dice: dice.base64(300),
    "basic": lambda dice: base64.b64encode(f"svc:{_safe(dice)}".encode()).decode(),
    "encoded": lambda dice: base64.b64encode(_password(dice).encode()).decode(),
    "uuid": Dice.uuid,
    "awsid": lambda dice: "AK" + "IA" + dice.run(UPPER + "234567", 16),
    "awssecret": lambda dice: dice.run(DASH.replace("-_", "") + "+/", 39) + "a",
    "seed": lambda dice: "S" + dice.choice("UAON") + dice.run(UPPER + "234567", 56),
    "base32": lambda dice: dice.run(UPPER + "234567", 32),
    "jwk": lambda dice: dice.dash(43),
    "kube": lambda dice: dice.run(LOWER + "0123456789", 6) + "." + dice.run(LOWER + "0123456789", 16),
    "upper": lambda dice: dice.run(UPPER + "23456789", 20),
    "word": lambda dice: dice.choice(WORDS),
    "digits": lambda dice: _number(dice, 9),
    "hexdigit": lambda dice: dice.choice(HEX),
}  # fmt: skip

PROBES = """
@@ probe: a phrase of words
password=«phrase»
@@ probe: a phrase of words in prose
the staging password is «phrase», please rotate it later
@@ probe: use password
Log in as admin and use password «safe» for the staging box.
@@ probe: use the password
please use the password «password» when it asks
@@ probe: punctuation in a setting
DB_PASSWORD=«punctuated»
@@ probe: punctuation in a line of settings
password = «punctuated»
@@ probe: punctuation in an option
tool --user app --password «punctuated» --verbose
@@ probe: aws pair on one line
aws creds: «~awsid» «awssecret»
@@ probe: aws pair with a slash
«~awsid»/«awssecret»
@@ probe: aws pair on two lines
Access key: «~awsid»
«awssecret»
@@ probe: aws pair in a table
| AccessKeyId | «~awsid» |
| Value | «awssecret» |
@@ probe: pgpass
db1.example.net:5432:app:svc:«safe»
@@ probe: pgpass with stars
*:*:*:postgres:«password»
@@ probe: pgpass by echo
echo "db.internal:5432:*:app:«safe»" > ~/.pgpass && chmod 600 ~/.pgpass
@@ probe: xml element
<credentials><username>svc</username><password>«password»</password></credentials>
@@ probe: xml element with an attribute
<password encrypted="false">«password»</password>
@@ probe: xml element of a namespace
<wsse:Password Type="PasswordText">«safe»</wsse:Password>
@@ probe: xml element over lines
<apiKey>
    «token»
</apiKey>
@@ probe: csv column
name,email,password
alice,alice@example.net,«safe»
bob,bob@example.net,«password»
@@ probe: csv column in the middle
id;api_key;created
1;«token»;2026-01-02
@@ probe: environment or a string
const apiKey = process.env.ACME_API_KEY || "«token»";
@@ probe: environment or a password
  password: process.env.DB_PASSWORD ?? '«password»',
@@ probe: gh secret with a body
gh secret set NPM_TOKEN --body "«token»"
@@ probe: gh secret with a short option
gh secret set DEPLOY_PASSWORD -b «safe» --repo acme/app
@@ probe: passin
openssl rsa -in key.pem -passin pass:«safe» -out plain.pem
@@ probe: passout
openssl pkcs12 -export -out app.p12 -passout 'pass:«password»'
@@ probe: value on the next line
Password:
«password»
@@ probe: token on the next line
Here is the api key:

«token»
@@ probe: folded yaml
db:
  password: >-
    «password»
@@ probe: string on the next line
const clientSecret =
  "«token»";
@@ probe: coloured environment
\x1b[32mDB_PASSWORD\x1b[0m=\x1b[33m«safe»\x1b[0m
@@ probe: coloured json
\x1b[34;1m"apiKey"\x1b[0m\x1b[1;39m:\x1b[0m \x1b[0;32m"«token»"\x1b[0m,
@@ probe: nats seed
-----BEGIN USER NKEY SEED-----
«seed»
------END USER NKEY SEED------
@@ probe: nats seed alone
nats --nkey <(echo «seed») sub '>'
@@ probe: jwk of a curve
{"kty":"EC","crv":"P-256","x":"«~jwk»","y":"«~jwk»","d":"«jwk»"}
@@ probe: symmetric jwk
{"kty": "oct", "kid": "1", "alg": "HS256", "k": "«jwk»"}
@@ probe: my api key for a thing
my api key for the weather service is «hex», can you wire it up?
@@ probe: the token for a thing
The token for staging deploys is «token».
"""

SHAPES = """
@@ shell: fly secrets
fly secrets set SESSION_SECRET=«token» SMTP_PASSWORD=«safe» --app web
@@ shell: heroku config
heroku config:set MAILER_PASSWORD='«password»' -a acme
@@ shell: wrangler secret by echo
echo "«token»" | wrangler secret put ACME_API_KEY
@@ shell: vercel env by printf
printf '%s' '«token»' | vercel env add ACME_TOKEN production
@@ shell: kubectl literal
kubectl create secret generic db --from-literal=username=app --from-literal=password=«safe»
@@ shell: kubectl registry
kubectl create secret docker-registry reg --docker-username=ci --docker-password=«safe» --docker-email=a@example.net
@@ shell: keytool
keytool -genkey -keystore app.jks -storepass «safe» -keypass «safe» -alias app
@@ shell: htpasswd
htpasswd -bc /etc/nginx/.htpasswd admin «safe»
@@ shell: ldapsearch
ldapsearch -x -H ldap://dir.example.net -D "cn=admin,dc=example" -w «safe» -b "dc=example"
@@ shell: psql conninfo
psql "host=db1 port=5432 user=app password=«safe» dbname=app" -c 'select 1'
@@ shell: mysqldump
mysqldump --host=db1 --user=root --password=«safe» app > app.sql
@@ shell: sqlcmd
sqlcmd -S db1,1433 -U sa -P '«password»' -Q "select 1"
@@ shell: redis pass
redis-cli -h cache --pass «safe» ping
@@ shell: rabbit user
rabbitmqctl add_user worker «safe»
@@ shell: aws configure
aws configure set aws_secret_access_key «awssecret» --profile ci
@@ shell: azure login
az login --service-principal -u «~uuid» -p «token» --tenant «~uuid»
@@ shell: azure option
az sql server create -n s1 -g rg --admin-user sa --admin-password '«password»'
@@ shell: ansible extra
ansible-playbook site.yml -e "db_password=«safe» env=prod"
@@ shell: terraform var
terraform apply -auto-approve -var="db_password=«safe»" -var 'region=eu-west-1'
@@ shell: terraform variable in the environment
TF_VAR_db_password='«password»' terraform plan
@@ shell: smbclient
smbclient //files/share -U 'svc%«safe»' -c ls
@@ shell: sudo from stdin
echo '«password»' | sudo -S apt-get install -y nginx
@@ shell: vault put
vault kv put secret/app username=app password=«safe»
@@ shell: helm set
helm upgrade --install db bitnami/postgresql --set auth.postgresPassword=«safe» --set auth.database=app
@@ shell: build arg
docker build --build-arg NPM_AUTH_TOKEN=«token» -t app:1 .
@@ shell: zip
zip -r -P «safe» backup.zip data/
@@ shell: seven zip
7z x -p«safe» dump.7z
@@ shell: gpg
gpg --batch --yes --passphrase «safe» -c dump.sql
@@ shell: curl proxy
curl -x http://proxy:3128 --proxy-user svc:«safe» https://example.net
@@ shell: curl form
curl -X POST https://example.net/login -d 'username=admin&password=«safe»'
@@ shell: curl json
curl -s https://example.net/api/login -H 'Content-Type: application/json' -d '{"email":"a@example.net","password":"«password»"}'
@@ shell: httpie
http POST :8000/api/login username=admin password=«safe»
@@ shell: wget
wget --http-user=svc --http-password=«safe» https://files.example.net/a.zip
@@ shell: lftp
lftp -u svc,«safe» sftp://files.example.net
@@ shell: expect
expect "assword:"
send "«safe»\\r"
@@ shell: ssh-keygen
ssh-keygen -t ed25519 -f deploy -N '«password»' -C ci
@@ shell: wifi
nmcli device wifi connect Office password «safe»
@@ shell: git extra header
git -c http.extraheader="AUTHORIZATION: bearer «token»" fetch origin
@@ shell: npm config
npm config set //registry.example.net/:_authToken «token»
@@ shell: twine
twine upload -u svc -p «safe» dist/*
@@ shell: poetry token
poetry config pypi-token.internal «token»
@@ shell: poetry basic
poetry config http-basic.internal svc «safe»
@@ shell: dotnet user secrets
dotnet user-secrets set "Smtp:Password" "«password»"
@@ shell: bundle config
bundle config set --global gems.example.net svc:«safe»
@@ shell: java property
java -Djavax.net.ssl.keyStorePassword=«safe» -jar app.jar
@@ shell: maven property
mvn deploy -Drepo.user=ci -Drepo.password=«safe»
@@ shell: setx
setx ACME_API_KEY «token»
@@ shell: fish
set -gx ACME_TOKEN «token»
@@ shell: csh
setenv ACME_SECRET «token»
@@ shell: powershell option
New-LocalUser -Name svc -Password (ConvertTo-SecureString '«password»' -AsPlainText -Force)
@@ shell: powershell plain
Connect-Thing -Server db1 -User sa -Password '«password»'
@@ shell: net use
net use Z: \\\\files\\share /user:svc «safe»
@@ shell: net user
net user svc «safe» /add
@@ shell: kubeadm join
kubeadm join 10.0.0.1:6443 --token «kube» --discovery-token-ca-cert-hash sha256:«~hex64»
@@ shell: jupyter
    http://localhost:8888/tree?token=«hex»
@@ shell: sshpass joined
sshpass -p«safe» scp app.tgz root@10.0.0.4:/tmp
@@ shell: sshpass variable
SSHPASS=«safe» sshpass -e ssh root@10.0.0.4
@@ shell: here document
cat > .env <<'END'
ACME_PASSWORD=«password»
END
@@ shell: sql role
psql -c "ALTER ROLE app WITH LOGIN PASSWORD '«password»';"
@@ shell: mongosh
mongosh "mongodb://db1/admin" --username root --password «safe»
@@ shell: restic
RESTIC_PASSWORD=«safe» restic -r s3:backup snapshots
@@ shell: default of a variable
PGPASSWORD="${DB_PASSWORD:-«safe»}" psql -h db1
@@ output: generated password
Generated password: «password»
@@ output: temporary password of mysql
2026-01-02T03:04:05Z 1 [Note] A temporary password is generated for root@localhost: «password»
@@ output: initial admin password
Please use the following password to proceed to installation:

«hex32»

This may also be found at: /var/jenkins_home/secrets
@@ output: terraform
Outputs:

db_endpoint = "db1.example.net"
db_password = "«password»"
@@ output: create access key
{
    "AccessKey": {
        "UserName": "ci",
        "AccessKeyId": "«~awsid»",
        "SecretAccessKey": "«awssecret»"
    }
}
@@ output: docker inspect
            "Env": [
                "PATH=/usr/bin",
                "POSTGRES_PASSWORD=«safe»"
            ],
@@ output: describe pod
    Environment:
      DB_HOST:      db1
      DB_PASSWORD:  «safe»
@@ output: declare
declare -x ACME_TOKEN="«token»"
@@ output: heroku config
=== acme Config Vars
SECRET_KEY_BASE: «hex64»
SMTP_PASSWORD:   «safe»
@@ output: unseal keys
Unseal Key 1: «base64»
Unseal Key 2: «base64»
@@ output: table of boxes
│ username │ admin          │
│ password │ «safe» │
@@ output: compose config
      POSTGRES_PASSWORD: «safe»
      POSTGRES_USER: app
@@ output: ps
root  812  0.0  mysqld --user=mysql --password=«safe» --port=3306
@@ output: secret of kubernetes
apiVersion: v1
data:
  password: «encoded»
  username: YXBw
kind: Secret
@@ output: grafana
Your Grafana admin password is: «safe»
@@ output: service account
Token created. Copy it now, it will not be shown again:
  «token»
@@ output: coloured yaml
\x1b[36mpassword\x1b[39m: \x1b[32m«safe»\x1b[39m
@@ output: dump of a process
'DB_PASS': '«password»', 'DB_USER': 'app'
@@ file: string data
kind: Secret
stringData:
  password: «password»
  user: app
@@ file: ansible inventory
web1 ansible_host=10.0.0.5 ansible_user=root ansible_ssh_pass=«safe» ansible_become_password=«safe»
@@ file: cloud init
chpasswd:
  list: |
    root:«safe»
@@ file: action
      - name: deploy
        env:
          DEPLOY_TOKEN: «token»
          DB_PASSWORD: "«password»"
@@ file: gitlab variables
variables:
  MYSQL_ROOT_PASSWORD: «safe»
  DOCKER_DRIVER: overlay2
@@ file: pipeline variable
variables:
- name: dbPassword
  value: '«password»'
@@ file: helm values
auth:
  rootPassword: «safe»
  replicationPassword: "«password»"
@@ file: container arguments
        args: ["--listen", ":8080", "--auth-token", "«token»"]
@@ file: container argument list
        args:
        - --db-user=app
        - --db-password=«safe»
@@ file: container arguments over lines
        - --password
        - «safe»
@@ file: nginx
proxy_set_header Authorization "Basic «basic»";
@@ file: haproxy
userlist ops
  user admin insecure-password «safe»
@@ file: apache
SetEnv ACME_API_KEY «token»
@@ file: redis
port 6379
requirepass «safe»
masterauth «safe»
@@ file: standby
primary_conninfo = 'host=10.0.0.1 user=repl password=«safe»'
@@ file: wpa
network={
    ssid="Office"
    psk="«password»"
}
@@ file: chap secrets
"svc"  *  "«password»"  *
# chap-secrets: client server secret IP
@@ file: my cnf
[client]
user=root
password="«punctuated»"
@@ file: s3cfg
access_key = «~awsid»
secret_key = «awssecret»
@@ file: msmtp
account work
host smtp.example.net
user svc
password «safe»
@@ file: maven settings
<server>
  <id>internal</id>
  <username>ci</username>
  <password>«password»</password>
</server>
@@ file: nuget
<packageSourceCredentials><add key="ClearTextPassword" value="«password»" /></packageSourceCredentials>
@@ file: gradle groovy
            storePassword "«password»"
            keyAlias "app"
@@ file: gradle kotlin
            storePassword = "«password»"
            keyPassword = "«safe»"
@@ file: appsettings
  "ConnectionStrings": { "Main": "Server=db1;Database=app;User Id=sa;Password=«safe»;TrustServerCertificate=true" },
@@ file: spring
spring:
  datasource:
    username: app
    password: «safe»
@@ file: spring default
spring.datasource.password=${DB_PASSWORD:«safe»}
@@ file: hibernate
<property name="hibernate.connection.password">«password»</property>
@@ file: web xml
<context-param>
  <param-name>dbPassword</param-name>
  <param-value>«password»</param-value>
</context-param>
@@ file: plist
	<key>ACMEAPIKey</key>
	<string>«token»</string>
@@ file: wordpress
define( 'DB_PASSWORD', '«password»' );
@@ file: supervisor
environment=HOME="/srv",DB_PASSWORD="«safe»",LANG="C"
@@ file: systemd
Environment="DB_PASSWORD=«safe»"
@@ file: dockerfile
ENV DB_PASSWORD «safe»
@@ file: dockerfile pairs
ENV DB_USER=app DB_PASSWORD=«safe» DB_HOST=db1
@@ file: rclone
[box]
type = webdav
user = svc
pass = «safe»
@@ file: npmrc
//registry.example.net/:_password=«encoded»
//registry.example.net/:username=svc
@@ file: composer auth
{"http-basic": {"repo.example.net": {"username": "svc", "password": "«safe»"}}}
@@ file: django databases
        'USER': 'app',
        'PASSWORD': '«password»',
        'HOST': 'db1',
@@ file: jaas
sasl.jaas.config=org.apache.kafka.common.security.plain.PlainLoginModule required username="app" password="«password»";
@@ file: ldap
bindpw «safe»
@@ file: router
username admin privilege 15 password 0 «safe»
@@ file: fernet
AIRFLOW__CORE__FERNET_KEY=«base64»
@@ file: openvpn
<auth-user-pass>
svc
«safe»
</auth-user-pass>
@@ file: mcp server
"env": {"ACME_API_KEY": "«token»", "LOG": "1"}
@@ file: tfvars
region      = "eu-west-1"
db_password = "«punctuated»"
@@ file: markdown table
| user | password |
|------|----------|
| admin | «safe» |
@@ file: tab separated
user	password	role
alice	«safe»	admin
@@ file: quoted csv
"login","password"
"alice","«password»"
@@ file: otp address
otpauth://totp/Acme:jane?secret=«base32»&issuer=Acme
@@ file: hardhat
      accounts: ["0x«hex64»"],
      // private key of the deployer
@@ file: private key in the environment
DEPLOYER_PRIVATE_KEY=0x«hex64»
@@ file: nats account
operator_seed: «seed»
@@ code: python getenv
API_KEY = os.getenv("ACME_API_KEY", "«token»")
@@ code: python environ get
password=os.environ.get("DB_PASSWORD", "«password»"),
@@ code: ruby fetch
config.api_key = ENV.fetch("ACME_API_KEY", "«token»")
@@ code: ruby or
password = ENV['DB_PASSWORD'] || '«password»'
@@ code: go helper
	Password: getEnv("DB_PASSWORD", "«password»"),
@@ code: java default
String password = System.getenv().getOrDefault("DB_PASSWORD", "«password»");
@@ code: rust default
let token = env::var("ACME_TOKEN").unwrap_or_else(|_| "«token»".to_string());
@@ code: laravel
'password' => env('DB_PASSWORD', '«password»'),
@@ code: python or
SECRET = os.environ.get("APP_SECRET") or "«token»"
@@ code: ternary
const token = isProd ? process.env.TOKEN : "«token»";
@@ code: argparse
parser.add_argument("--password", type=str, default="«password»")
@@ code: click
@click.option("--api-key", default="«token»", help="key")
@@ code: psycopg string
conn = psycopg2.connect("dbname=app user=app password=«safe» host=db1")
@@ code: mysqli
$db = mysqli_connect("db1", "app", "«password»", "app");
@@ code: pdo
$pdo = new PDO("mysql:host=db1;dbname=app", "app", "«password»");
@@ code: perl
my $dbh = DBI->connect("dbi:mysql:app", "app", "«password»");
@@ code: c define
#define WIFI_PASSWORD "«password»"
@@ code: c pointer
const char* password = "«password»";
@@ code: objective c
static NSString *const kACMEAPIKey = @"«token»";
@@ code: visual basic
Dim password As String = "«password»"
@@ code: r
password <- "«password»"
@@ code: clojure
{:dbname "app" :user "app" :password "«password»"}
@@ code: kotlin
private const val API_KEY: String = "«token»"
@@ code: swift
let apiKey: String = "«token»"
@@ code: playwright
await page.fill('#password', '«password»');
@@ code: playwright label
await page.getByLabel('Password').fill('«password»');
@@ code: cypress
cy.get('input[name=password]').type('«password»')
@@ code: selenium
driver.find_element(By.ID, "password").send_keys("«password»")
@@ code: set environment
monkeypatch.setenv("ACME_TOKEN", "«token»")
@@ code: process environment
process.env.ACME_SECRET = "«token»";
@@ code: go header
req.Header.Set("X-Api-Key", "«token»")
@@ code: bearer header
req.Header.Add("Authorization", "Bearer «token»")
@@ code: local storage
localStorage.setItem("token", "«token»");
@@ code: base64 of a pair
const auth = Buffer.from("admin:«safe»").toString("base64");
@@ code: browser base64
headers.set("Authorization", "Basic " + btoa("admin:«safe»"));
@@ code: tuple
CREDENTIALS = ("admin", "«password»")
@@ code: list of credentials
auth: ["admin", "«password»"],
@@ code: insert
INSERT INTO users (name, email, password) VALUES ('alice', 'a@example.net', '«password»');
@@ code: update
UPDATE accounts SET password = '«password»' WHERE name = 'alice';
@@ code: create login
CREATE LOGIN app WITH PASSWORD = '«password»';
@@ code: create role
CREATE ROLE app LOGIN PASSWORD '«password»';
@@ code: parenthesised string
TOKEN = (
    "«token»"
)
@@ code: setter
config.setApiKey("«token»");
@@ code: constructor
client = Client(key="«token»", secret="«token»")
@@ code: comment above
// password for the test account: «password»
@@ code: assertion
assert decrypt(blob, password="«password»") == b"ok"
@@ http: vault header
X-Vault-Token: «token»
@@ http: private token
curl --header "PRIVATE-TOKEN: «token»" https://git.example.net/api/v4/projects
@@ http: subscription key
Ocp-Apim-Subscription-Key: «hex32»
@@ http: functions key
x-functions-key: «base64»
@@ http: proxy authorization
< Proxy-Authorization: Basic «basic»
@@ http: set cookie
< Set-Cookie: sessionid=«token»; Path=/; HttpOnly
@@ http: query
GET /v1/forecast?q=Bern&appid=7&api_key=«token»&units=metric HTTP/1.1
@@ http: token answer
{"token_type":"Bearer","expires_in":3600,"access_token":"«token»"}
@@ http: client credentials
grant_type=client_credentials&client_id=web&client_secret=«token»
@@ http: multipart
Content-Disposition: form-data; name="password"

«password»
--boundary
@@ http: fragment
https://app.example.net/callback#access_token=«token»&state=1
@@ http: basic in a log
[debug] headers={"authorization":"Basic «basic»","accept":"*/*"}
@@ http: smtp
AUTH PLAIN «basic»
@@ http: ftp
USER svc
331 Please specify the password.
PASS «safe»
@@ log: pair
2026-03-01 10:00:01 DEBUG login attempt user=admin pass=«safe» ip=10.0.0.9
@@ log: quoted
INFO Authenticating as svc with password '«password»'
@@ log: json in json
{"level":"info","msg":"config {\\"db_password\\":\\"«safe»\\",\\"port\\":1}"}
@@ log: ruby hash
Parameters: {"user"=>{"email"=>"a@example.net", "password"=>"«password»"}}
@@ log: python repr
Settings(db_host='db1', db_password='«password»', debug=True)
@@ log: go struct
config: {Host:db1 User:app Password:«safe» Port:5432}
@@ log: map
env=map[DB_PASSWORD:«safe» DB_USER:app]
@@ log: retry
WARN retrying with token «token» (attempt 2)
@@ log: key in use
using api key «token» for requests
@@ diff: changed setting
-DB_PASSWORD=changeme
+DB_PASSWORD=«password»
@@ diff: changed yaml
@@@ -1,3 +1,3 @@@
 db:
-  password: ${DB_PASSWORD}
+  password: «safe»
@@ diff: removed code
-const API_KEY = "«token»";
+const API_KEY = process.env.API_KEY;
@@ tool: command
{"command": "export ACME_TOKEN=«token» && make deploy", "description": "deploy"}
@@ tool: quoted command
{"command":"curl -H \\"X-Api-Key: «token»\\" https://api.example.net"}
@@ tool: arguments
{"program": "tool", "args": ["login", "--token", "«token»"]}
@@ tool: edit
{"file_path": "/srv/app/.env", "old_string": "SMTP_PASSWORD=", "new_string": "SMTP_PASSWORD=«password»"}
@@ tool: written file
{"content": "[db]\\nuser = app\\npassword = «safe»\\nhost = db1\\n"}
@@ tool: header list
{"headers": [{"name": "X-Api-Key", "value": "«token»"}]}
@@ tool: key and value
{"key": "ACME_API_TOKEN", "value": "«token»", "type": "secret"}
@@ prose: login is
the login is admin / «safe» on staging
@@ prose: user and pass
user: admin pass: «safe»
@@ prose: creds
creds for the demo box: admin:«safe»
@@ prose: pw
pw is «safe»
@@ prose: set it to
set the admin password to «safe» and restart
@@ prose: for whom
the password for root is «safe»
@@ prose: should be
db password should be «safe»
@@ prose: with the password
ssh in as deploy with the password «password» and run the migration
@@ prose: in brackets
password (staging): «safe»
@@ prose: arrow
API key -> «token»
@@ prose: German
das Passwort lautet «safe»
@@ prose: credentials are
credentials are admin/«safe»
@@ prose: in backquotes
the root password is `«password»`, don't commit it
@@ prose: bold
**Password:** «safe»
@@ prose: bold name with a quoted value
- **API key**: `«token»`
@@ prose: key follows
Here's my OpenWeather key: «hex32»
@@ prose: token it is
use this token: «token» to call the API
@@ prose: change from
change the password from «safe» to something else
@@ prose: equals in words
password equals «safe»
@@ prose: access token
my access token is «token», expires tomorrow
@@ prose: secret of a client
client id is web-app, client secret is «token»
@@ prose: signing in
sign in with username admin and password «safe»
@@ prose: pasted settings
this is my config: host=db1 user=app password=«safe» sslmode=require
"""


def _texts(listing: str) -> dict[str, str]:
    entries = [entry.partition("\n") for entry in f"\n{listing.strip()}".split("\n@@ ")[1:]]
    texts = {name: text.replace("@@@", "@@") for name, _, text in entries}
    assert len(texts) == len(entries), "two shapes of one name"
    return texts


def drawn(text: str, dice: Dice) -> tuple[str, tuple[str, ...]]:
    """The text with everything drawn, and what of it must go."""
    secrets = []

    def one(match: re.Match[str]) -> str:
        what = match.group(1)
        made = DRAWN[what.removeprefix("~")](dice)
        if not what.startswith("~"):
            secrets.append(made)
        return made

    return PLACE.sub(one, text), tuple(secrets)


def probes(seed: int = SEED) -> list[Case]:
    return _cases(_texts(PROBES), seed)


def development(seed: int = SEED) -> list[Case]:
    """The half that rules are written for."""
    texts = _texts(SHAPES)
    return _cases({name: texts[name] for name in sorted(texts)[::2]}, seed)


def held(seed: int = SEED) -> list[Case]:
    """The half that is only counted."""
    texts = _texts(SHAPES)
    return _cases({name: texts[name] for name in sorted(texts)[1::2]}, seed)


def _cases(texts: dict[str, str], seed: int) -> list[Case]:
    """A case for each secret of each drawing of each shape."""
    dice = Dice(seed)
    cases = []
    for name, shape in texts.items():
        for _ in range(DRAWS):
            text, secrets = drawn(shape, dice)
            cases += [Case(name, "as it is", text, secret) for secret in secrets]
    return cases


PIECE = 5


def is_gone(case: Case, kept: str) -> bool:
    """Whether no piece of the secret is left: half a password is half of it told."""
    around = case.text.replace(case.secret, "\n")
    pieces = {case.secret[at : at + PIECE] for at in range(len(case.secret) - PIECE + 1)}
    return not any(piece in kept and piece not in around for piece in pieces)
