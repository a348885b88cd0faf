"""Other words for the same: what people call a thing, and what programmers name it.

Written once from general knowledge of programs, and for no project. A word may mean several things
and stand in several lines; what is wrong here costs a look at a place, never a feature that is
there: more words only make it harder to call a feature absent.
"""

from __future__ import annotations

from holdfast.rooms.decisions.contradiction.stems import EMPTY, LIGHT, PURE

# Say nothing about which feature is meant, and are not looked for.
TELLING = frozenset(
    "app application code codebase count default full number project repo repository second size"
    " system team time".split()
)
DROPPED = (EMPTY | PURE) - TELLING
# Say little: who it is for, how it is, and what is done to most things.
FAINT_WORDS = (
    TELLING
    | LIGHT
    | frozenset(
        # who and what
        "user customer client people person somebody someone anybody anyone everybody nobody human"
        " developer member guest visitor admin owner other others thing something anything nothing"
        " program tool software service feature functionality ability option possibility support"
        " file item list text data value name information content interface window kind part piece"
        " place case example amount bit lot set group pair area world machine computer way manner"
        " reason result problem question answer fact point end side top bottom middle rest detail"
        # how it is
        " able automatic available bad best better big busy careful certain clear close common"
        " complete correct current dangerous dear deep different difficult direct easy empty enough"
        " entire equal exact extra fair false familiar fast few final fine fit free frequent fresh"
        " funny general good great happy hard heavy high huge ideal important impossible individual"
        " initial known large last late latest left less light little local long loose lot low main"
        " manual missing modern natural necessary new nice normal obvious odd old open optional"
        " ordinary original particular past perfect plain pleasant poor popular possible present"
        " previous private proper public pure quick quiet random rare ready real recent regular"
        " related relevant right rough safe secure separate serious short similar simple slow small"
        " smart smooth soft solid special specific standard strange strict strong sudden suitable"
        " sure terrible tight tiny total true unknown unusual useful usual valid various whole wide"
        " wrong young earlier later before after again during while twice often"
        # what is done
        " act appear arrive ask avoid be become begin behave believe belong call care check"
        " choose click close come consider consist contain continue control cost cover create"
        " deal decide depend display do drive enter execute exist expect explain face fall feel"
        " fill find finish fit follow function get give go guess handle happen have hear help"
        " include involve keep know lead learn leave let lie like listen live look lose make"
        " manage matter mean meet need notice occur offer open own perform pick place prepare"
        " present prevent process produce provide put reach read receive rely remain return run"
        " save say see seem send serve set show speak spend stand start stay stop suppose take"
        " talk tell think touch treat trust try turn understand use view visit wait want watch"
        " wish wonder work write".split()
    )
)

# Each line is one meaning.
MEANINGS = """
limit throttle quota cap restrict max ceiling bound threshold
rate frequency speed pace velocity
fast quick speed rapid rate tempo
slow delay lag latency debounce
auth authentication authenticate login signin logon credential
login signin logon
logout signout logoff
authorization authorisation authorize permission acl rbac access privilege grant
role permission group
forbid deny refuse reject block disallow prohibit ban
allow permit grant enable whitelist allowlist
cache memo memoize lru
retry backoff reattempt again resilience
queue broker backlog outbox enqueue
delete remove purge erase destroy unlink drop wipe discard trash prune
remove strip clear delete redact scrub
search find lookup query locate grep
export dump download save write
import ingest load
download fetch pull get
upload put post push
notify notification alert push toast inform banner
warn warning alert caution notice confirm
tell inform notify report announce
chat conversation messenger im
email mail smtp mailer
encrypt encryption cipher crypto aes
decrypt decipher cipher
secret credential password token sensitive confidential redact
redact mask scrub sanitize censor anonymize conceal
hide mask conceal hidden invisible collapse reveal
reveal show unmask expose visible
show display view render present print
see view display show
sign signature signing
hash digest checksum fingerprint
log audit journal trace record
metric telemetry counter gauge statsd prometheus measure
schedule cron timer periodic recurring
nightly daily cron scheduled
timer timeout countdown alarm interval
sleep asleep idle bedtime suspend
job task worker
webhook callback
payment pay billing checkout invoice charge purchase
refund chargeback reimburse
money payment price amount cash
price cost amount fee
discount voucher coupon promo rebate
buy purchase order checkout
cancel abort void revoke
cart basket
user account member profile principal
customer client buyer user
config configuration setting settings option options preference preferences
dark night theme
theme skin appearance palette
plugin extension addon
translate translation i18n locale gettext l10n
language locale i18n lang
undo revert rollback rewind restore
back rewind return previous revert
redo reapply
sync synchronize replicate mirror
cloud s3 bucket aws gcs azure
backup snapshot dump archive
checkpoint snapshot savepoint
compress gzip zip zstd deflate
validate check verify sanitize
wrong invalid fail failed failure error incorrect bad
fail failure error crash
crash panic abort die dead crashed
damage damaged corrupt corruption broken malformed
repair fix mend heal recover rebuild salvage
recover recovery restore extract rescue
pagination paginate paging cursor offset page
websocket socket realtime sse
live realtime stream
lock mutex semaphore
lock block disable freeze suspend
flag toggle switch
toggle switch flip
off disable disabled pause stop
pause suspend stop halt resume
stop halt pause end cancel terminate
start begin launch boot init
test spec
tenant organisation organization workspace
multiple multi many bulk several
password passphrase passwd pw
forgot forget reset recover
factor mfa totp otp
share invite collaborate
comment note annotation remark reply
review rating feedback
rating star score
tag label category
bookmark favourite favorite star
filter where criteria
sort order rank
reorder restock replenish
low minimum min shortage scarce
stock inventory quantity qty
product item article sku goods
recommend recommendation suggest suggestion
suggest autocomplete typeahead completion
chart graph plot
dashboard overview console
print pdf printer
report summary
summary summarize summarise digest abstract condense
offline local cache download
migrate migration upgrade
upgrade update version release
newer latest update upgrade
version release revision
health healthz liveness readiness ping heartbeat alive
breaker fuse resilience
idempotent dedup deduplicate
token jwt bearer
oauth oidc sso saml
stream chunk pipe
batch bulk
archive cold
history log past timeline
earlier previous past prior
api endpoint route
server daemon service
image picture photo thumbnail
video media
audio sound media
song track audio music
listen play audio
play playback player
episode podcast track
feed rss atom
subscribe subscription
map geo location
voice speech microphone
spell spelling spellcheck hunspell
spelling spellcheck hunspell
draft autosave
copy clipboard yank duplicate clone paste
clipboard pasteboard yank copy
patch diff
diff difference compare delta change
author owner writer contributor blame annotate
rename retitle
drag drop dnd draggable dragover dropzone
drop drag dropzone
dialog modal popup
keyboard key keydown keypress shortcut hotkey keybinding
shortcut hotkey keybinding accelerator
mouse click pointer
click tap press
folder directory dir
file document
database db sql sqlite postgres store
remember persist store save keep
keep store save persist retain
save store persist write keep
old stale expired outdated aged
expire expiry ttl expiration lifetime
hour time duration interval minute
client consumer caller
position offset progress location
balance amount funds total
look lookup query fetch check
transaction tx transfer
broadcast publish announce send
send dispatch emit transmit deliver post submit
receive accept inbox
count counter number tally total
counting count tally ratio percentage share portion
model llm ai gpt
agent assistant bot ai llm
embedding vector semantic similarity
meaning semantic embedding
phrase mnemonic words sentence
seed mnemonic entropy
force forced overwrite
barcode scanner ean upc
scan scanner scanning
forecast predict prediction projection estimate
browser chrome firefox webview
webpage html
web http html
channel room slack discord
team group organization
load balancer upstream
connect connection socket link
device hardware peripheral
hardware ledger trezor device
wallet purse keystore
accounting bookkeeping ledger invoice
car vehicle auto automotive
transcript transcription caption subtitle
bluetooth ble
seller vendor merchant
wrap wrapper wrapping
"""
# A whole feature by another name. What stands before "=" is in any form and order.
NAMES = """
rate limit = throttle, token bucket, leaky bucket, too many requests, 429
limit request = throttle, rate limit, too many requests, 429
dark mode = night mode, color scheme, dark theme
two factor = 2fa, mfa, totp, otp
multi factor = 2fa, mfa, totp, otp
factor login = 2fa, mfa, totp, otp
single sign on = sso, saml, oidc
circuit breaker = fuse, hystrix, resilience
feature flag = feature toggle, launchdarkly, unleash, experiment flag
full text search = fts, fts5, inverted index, tsvector, bm25
background job = worker, task queue, celery, sidekiq
message queue = broker, kafka, rabbitmq, amqp
access control = permission, acl, rbac, authorize, authorise
audit log = audit trail, audit event, journal
soft delete = deleted at, is deleted, tombstone
dead letter = dlq, poison message
load balancer = round robin, upstream, haproxy
health check = liveness, readiness, healthz, heartbeat
password reset = forgot password, recover password, reset token
file upload = multipart, attachment, put object
multi tenant = tenant id, organisation id, organization id, workspace id
event source = event store, append only, aggregate
connection pool = max connections, pool size
csrf = xsrf, samesite
cors = allow origin, cross origin
graceful shutdown = sigterm, drain, shutdown hook
dry run = simulate, no op, what if
auto complete = typeahead, suggest
infinite scroll = load more, lazy load
money back = refund
wrote line = blame, annotate
write line = blame, annotate
written line = blame, annotate
change line = blame, annotate
drag drop = dropzone, on drop, dnd
drag file = dropzone, on drop, dnd
seed phrase = mnemonic, bip39
play fast = playback rate, playback speed
playback speed = playback rate
order again = reorder, restock
run low = low stock, reorder, below minimum, out of stock
go back = rewind, rollback, revert
new version = update available, version check, check update, latest version
switch off = disable, pause, turn off
log in = login, signin
sign in = login, logon
sign up = register, signup
"""
