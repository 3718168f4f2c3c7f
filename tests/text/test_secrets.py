"""Secrets: what must not leave the machine, and what must not be taken for one.

No example is a real key.
"""

from __future__ import annotations

import base64
import hashlib

import pytest

from glymph.text.secrets import SECRET, mask_secrets
from tests.pace import must_end

LETTERS = "aB3dE6gH9jK2mN5pQ8rS1tU4vW7xY0zA" * 8
LOWER = "a1b2c3d4e5f60718293a4b5c6d7e8f90" * 4
UPPER = "A1B2C3D4E5F6G7H8I9J0K1L2M3N4O5P6" * 4
PEM = "-----BEGIN {0}PRIVATE " + "KEY-----\n{1}\n-----END {0}PRIVATE " + "KEY-----"
JWT = ".".join("ey" + "J" + LETTERS[:n] for n in (20, 40)) + "." + LETTERS[:43]
HEX = hashlib.sha256(b"glymph").hexdigest()
B64 = base64.b64encode(hashlib.sha512(b"glymph").digest()).decode()[:44]
CARD = "4539 1488 0343 6467"  # passes Luhn, issued by nobody


def built(*pieces):
    """A key made of pieces, so that none stands in this file."""
    return "".join(pieces)


SECRETS = {  # what stands in the text, and what must be gone from it
    "a password behind two blanks": (
        "sftp host s2.example user kh pw  {0}   put it there",
        "m0usse-au-Ch0c_2019",
    ),
    "all kinds of signs": ("yo uso remedios / {0}", built("Arabica", "!", "2019moka")),
    "1password": ("{0}", built("A", "3-", "A1B2C3-D4E5F6G7H8I-J9K0L-M1N2O-P3Q4R")),
    "adobe": ("{0}", built("p", "8e-", LOWER[:32])),
    "airtable": ("{0}", built("pa", "t", LETTERS[:14], ".", HEX)),
    "doppler": ("{0}", built("d", "p.pt.", LETTERS[:43])),
    "grafana": ("{0}", built("gl", "sa_", LETTERS[:32], "_", LOWER[:8])),
    "gitlab agent": ("{0}", built("gl", "agent-", LETTERS[:50])),
    "planetscale": ("{0}", built("pscale", "_pw_", LETTERS[:32])),
    "postman": ("{0}", built("PM", "AK-", LOWER[:24], "-", LOWER[:34])),
    "rubygems": ("{0}", built("rubygems", "_", HEX[:48])),
    "sentry": ("{0}", built("sntr", "yu_", HEX)),
    "square": ("{0}", built("sq", "0csp-", LETTERS[:43])),
    "discord bot": ("{0}", built("M", LETTERS[:23], ".", LETTERS[:6], ".", LETTERS[:27])),
    "terraform": ("{0}", built(LOWER[:14], ".atlas", "v1.", LETTERS[:64])),
    "teams hook": (
        "https://acme.webhook.office.com/webhookb2/{0}",
        built(HEX[:32], "@", HEX[:32], "/IncomingWebhook/", HEX[:32]),
    ),
    "a service's name": ("algolia = '{0}'", LOWER[:32]),
    "a service's name and more": ("Datadog prod: {0}", LOWER[:40]),
    "a service that uses uuids": ("heroku={0}", "0e1b2c3d-4f5a-6b7c-8d9e-0f1a2b3c4d5e"),
    "token as user": ("git clone https://{0}@git.example.com/a.git", LETTERS[:30]),
    "nuget": ('<add key="ClearTextPassword" value="{0}" />', "hunter2hunter"),
    "aws": ("our id is {0} for S3", built("AK", "IA", UPPER[:16])),
    "aws session": ("{0}", built("AS", "IA", UPPER[:16])),
    "aws secret": ("aws_secret_access_key = {0}", LETTERS[:40]),
    "github": ("push with {0}", built("gh", "p_", LETTERS[:36])),
    "github oauth": ("{0}", built("gh", "o_", LETTERS[:36])),
    "github server": ("token {0}.", built("gh", "s_", LETTERS[:36])),
    "github fine-grained": ("use {0}", built("github", "_pat_", LETTERS[:22], "_", LETTERS[:59])),
    "gitlab": ("{0}", built("gl", "pat-", LETTERS[:20])),
    "openai": ("OPENAI: {0}", built("s", "k-", LETTERS[:48])),
    "openai project": ("{0}", built("s", "k-proj-", LETTERS[:64])),
    "openai service": ("({0})", built("s", "k-svcacct-", LETTERS[:64])),
    "openrouter": ("{0}", built("s", "k-or-v1-", HEX)),
    "anthropic": ("the key {0} works", built("s", "k-ant-", "api03-", LETTERS[:80])),
    "google": ("maps key {0}", built("AI", "za", LETTERS[:35])),
    "google oauth": ("{0}", built("ya", "29.", LETTERS[:60])),
    "google client": ("{0}", built("GOC", "SPX-", LETTERS[:28])),
    "slack bot": ("{0}", built("xo", "xb-", "123456789012-", LETTERS[:24])),
    "slack user": ("{0}", built("xo", "xp-", "123456789012-", LETTERS[:24])),
    "slack app": ("{0}", built("xa", "pp-", "1-A012-", LETTERS[:24])),
    "slack hook": (
        "https://hooks.slack.com/services/{0}",
        built("T0", "123ABC/B0", "456DEF/", LETTERS[:24]),
    ),
    "discord hook": (
        "https://discord.com/api/webhooks/{0}",
        built("123456789012345678/", LETTERS[:60]),
    ),
    "stripe": ("{0}", built("sk", "_live_", LETTERS[:24])),
    "stripe test": ("{0}", built("sk", "_test_", LETTERS[:24])),
    "stripe restricted": ("{0}", built("rk", "_live_", LETTERS[:24])),
    "stripe hook": ("{0}", built("wh", "sec_", LETTERS[:32])),
    "jwt": ("cookie {0} was sent", JWT),
    "npm": ("{0}", built("np", "m_", LETTERS[:36])),
    "pypi": ("{0}", built("py", "pi-AgE", LETTERS[:60])),
    "hugging face": ("{0}", built("h", "f_", LETTERS[:34])),
    "groq": ("{0}", built("gs", "k_", LETTERS[:52])),
    "sendgrid": ("{0}", built("S", "G.", LETTERS[:22], ".", LETTERS[:43])),
    "digital ocean": ("{0}", built("do", "p_v1_", HEX)),
    "shopify": ("{0}", built("shp", "at_", LOWER[:32])),
    "mailgun": ("{0}", built("ke", "y-", LOWER[:32])),
    "twilio": ("{0}", built("S", "K", LOWER[:32])),
    "telegram": ("bot {0}", built("123456789", ":AA", LETTERS[:33])),
    "linear": ("{0}", built("lin", "_api_", LETTERS[:40])),
    "vault": ("{0}", built("hv", "s.", LETTERS[:24])),
    "databricks": ("{0}", built("da", "pi", LOWER[:32])),
    "pem": ("here:\n{0}\nthanks", PEM.format("RSA ", "\n".join([LETTERS[:64]] * 4))),
    "pem pkcs8": ("{0}", PEM.format("", LETTERS[:64])),
    "pem ssh": ("{0}", PEM.format("OPENSSH ", LETTERS[:70])),
    "pem cut off": ("{0}", PEM.format("EC ", LETTERS[:64]).split("-----END")[0].strip()),
    "bearer header": ("Authorization: Bearer {0}", LETTERS[:40]),
    "basic header": ("authorization: basic {0}", base64.b64encode(b"someone:hunter2").decode()),
    "curl header": ("curl -H 'Authorization: Token {0}' https://api.example.com", LOWER[:40]),
    "bearer alone": ("we send bearer {0} along", LETTERS[:32]),
    "curl user": ("curl -u admin:{0} https://example.com", "hunter2!"),
    "x-api-key": ("x-api-key: {0}", LETTERS[:32]),
    "password equals": ("password={0}", "hunter2"),
    "password quoted": ('password = "{0}"', "swordfish"),
    "password in env": ("DB_PASSWORD={0}", "s3cretpw"),
    "password in yaml": ("postgres:\n  password: {0}\n  port: 5432", "swordfish"),
    "password in json": ('{{"user": "eva", "password": "{0}"}}', "Tr0ub4dor&3"),
    "password told": ("the password is {0}", "Winter2024!"),
    "password told of": ("The password for the staging server is {0}.", "Winter2024"),
    "password told in quotes": ("my password is '{0}', keep it", "swordfish"),
    "passphrase": ('passphrase: "{0}"', "correct horse battery staple"),
    "pwd": ("pwd={0};", "Abc12345"),
    "password option": ("mysqldump --password={0} shop", "geheim99"),
    "password option apart": ("tool --password {0} --verbose", "geheim99"),
    "german": ("Das Passwort ist {0}", "Sommer2025"),
    "secret in code": ("client_secret = '{0}'", LETTERS[:24]),
    "token in env": ("export SLACK_TOKEN={0}", LETTERS[:30]),
    "api key in json": ('"apiKey": "{0}"', LOWER[:32]),
    "api key told": ("the api key is {0}", LETTERS[:24]),
    "token option": ("gh auth login --token {0}", LETTERS[:40]),
    "django": ("SECRET_KEY = '{0}'", "k#9x!2m@q7^v&4z*p1"),
    "query": ("https://api.example.com/v1?access_token={0}&page=2", LETTERS[:30]),
    "signed url": ("https://cdn.example.com/a.png?sig={0}", LETTERS[:40]),
    "url": ("postgres://app:{0}@db.example.com:5432/shop", "hunter2"),
    "url without user": ("redis://:{0}@cache:6379/0", "hunter2"),
    "git url": ("git clone https://eva:{0}@git.example.com/a.git", LETTERS[:20]),
    "drawn base64": ("here is the token for staging, do not share: {0}", B64),
    "drawn hex": ("the signing secret we got from them: {0}", HEX),
    "camel case": ("const authToken = '{0}'", LETTERS[:32]),
    "key of": ("my openai key: {0}", LETTERS[:32]),
    "cookie": ("Cookie: session={0}", LETTERS[:32]),
    "mysql": ("mysql -u root -p{0} shop", "S3cret99"),
    "sshpass": ("sshpass -p '{0}' ssh host", "hunter22"),
    "changed": ("change the password to {0}", "Blue!Fish9"),
    "psql": ("PGPASSWORD={0} psql", "hunter2"),
    "card": ("pay with {0}", CARD),
    "card without blanks": ("pay with {0} today", CARD.replace(" ", "")),
    "card with dashes": ("{0}", CARD.replace(" ", "-")),
    "amex": ("card {0}", "3714 496353 98431"),
    "pin": ("my PIN is {0}", "4821"),
    "cvv": ("CVV: {0}", "737"),
    "a word as password": ("The prod root password is {0}", "letmein"),
    "a word before others": ("My password is {0} and I like it", "hunter"),
    "code word": ("The code word is {0}.", "swordfish"),
    "safeword": ("our safeword is {0}", "pineapple"),
    "word now": ("the password is now {0}", "dragonfly"),
    "password of the house": ("The password for the wifi is {0}.", "bluehouse"),
    "passphrase of words": ("the passphrase {0}", "correct-horse-battery-staple"),
    "passcode": ("the passcode was {0}", "tulip"),
    "wifi": ("wifi password: {0}", "bluehouse"),
    "wifi for guests": ("wifi password: {0} for guests", "bluehouse"),
    "pass code": ("the pass code is {0}", "tulip"),
    "user and pass": ("user/pass: admin/{0}", "hunter2"),
    "user and password": ("username / password: admin / {0}", "swordfish"),
    "login": ("login admin / {0}", "Winter2024!"),
    "login with colon": ("creds: admin:{0}", "Winter2024"),
    "password apart": ("use password {0} there", "Winter2024!"),
    "social security": ("SSN {0}", "078-05-1120"),
    "social security alone": ("he gave {0} to the clerk", "078-05-1120"),
    "social security without dashes": ("my social security number is {0}", "078051120"),
    "a card for tests": ("card {0}", "4111 1111 1111 1111"),
    "a card for tests without blanks": ("{0}", "5555555555554444"),
    "a word after a colon": ("the db password is: {0}", "tiger"),
    "french word": ("mon mot de passe est {0}", "soleil"),
    "german word": ("Das Passwort ist {0}", "sommerwiese"),
}

HARMLESS = [
    "see [[Note2024|Title]] and Type2|Type3|other",
    "Fixed in Core#2024 by Jo; is it Really?2024Now",
    "https://a.example/C?d=1&E2#fooBar12!x",
    "self.login(user, passwd, acct)",
    "The username, password, hostname and port of a URL.",
    "def connect_ftp(self, user, passwd, host, port, dirs):",
    "twitter: @acme_support_team_berlin",
    "jira: PROJECT-1234-fix-the-login-page",
    "discord: general-announcements-2024",
    "facebook: https://facebook.com/acme.support.berlin.2024",
    "sentry: 0e1b2c3d-4f5a-6b7c-8d9e-0f1a2b3c4d5e is the event",
    "linear: the regression of 2024 is linear.",
    "https://eva@git.example.com/acme/shop.git",
    "Mastercard.customers.internationalization2024",
    "version 1.0-beta of the api-gateway",
    "the path of task-us-east-1 in key-value-store",
    f"the fix is in commit {HEX[:40]}",
    f"git checkout {HEX[:12]}",
    f"sha256:{HEX}",
    f"The image digest is {HEX}",
    f"token refresh was fixed in commit {HEX[:40]}",
    "request 3f2b8c1e-9d4a-4e6f-8a7b-1c2d3e4f5a6b failed",
    "session id 3f2b8c1e-9d4a-4e6f-8a7b-1c2d3e4f5a6b",
    "The token expires after 3600 seconds",
    "max_tokens=1024",
    "max_tokens: 4096, temperature: 0.2",
    "tokens: 3000",
    "a context of 128000 tokens",
    "password: required",
    "password is required",
    "the password is wrong",
    "The password must be at least 12 characters",
    "password: str",
    "password: str | None = None",
    "password = None",
    "password=os.environ['DB_PASSWORD']",
    "password = getpass.getpass()",
    "password=${DB_PASSWORD}",
    "password: <your password>",
    "password: ********",
    "api_key=YOUR_API_KEY".replace("YOUR_API_KEY", "$OPENAI_API_KEY"),
    "api_key: your-api-key",
    "api_key = config.api_key",
    "api_key: Optional[str] = None",
    "token = get_token(user)",
    "const token = await auth.getToken()",
    "secret: false",
    "The secret of good code is naming",
    "Keep it a secret, please",
    "his secret is patience",
    "We use JWT tokens for auth",
    "auth: enabled",
    "auth/login.py handles the token",
    "token: src/auth/tokens.py",
    "see docs/authentication/bearer-tokens.md",
    "bearer token authentication is on",
    "the bearer of good news",
    "basic understanding of internationalization",
    "scikit: sk-learn-compatible-estimators-for-time-series",
    "the class sk-fading-circle-animation-delay",
    "https://example.com/a/b?page=2&key=name",
    "https://example.com:8080/path",
    "http://localhost:5432/db",
    "mail eva@example.com about it",
    "ssh git@github.com:acme/shop.git",
    "https://user@example.com/a.git",
    "postgres://app:${DB_PASSWORD}@db/shop",
    "order 4539148803436468 was shipped",
    "at 1767603600000000 microseconds",
    "timestamp 1767603600000",
    "tracking number 1234567890123456",
    "call +49 170 1234567",
    "ISBN 9783161484100",
    "version 2024.12.31.1",
    "0000000000000000",
    "/usr/local/lib/python3.11/site-packages/glymph/core/masking.py",
    "src/components/authentication/PasswordResetConfirmationDialog.tsx",
    "the class PasswordResetConfirmationDialogControllerFactory",
    "def test_the_token_is_refreshed_when_it_has_expired_twice(): pass",
    "AKIA is how such ids begin",
    "keys that begin with ghp_ are tokens",
    "set the variable OPENAI_API_KEY",
    "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----",
    "ssh-ed25519 is the type of my public key",
    "pin the version to 1234",
    "use pin 13 of the board",
    "We always run the tests before a push",
    "The database runs on port 5432",
    "Authorization: Bearer <token>",
    "Authorization: Bearer $TOKEN",
    "the secret manager stores credentials: see the wiki",
    "token count: 12345678",
    "key: value",
    "primary key: customer_id",
    "foreign_key = 'orders.customer_id'",
    "password_hash is stored in users",
    "der Schlüssel liegt unter der Matte",
    "我喜欢喝茶，密码学很有趣",
    "token: oauth2-proxy",
    "secret: k8s-prod-secret1",
    "auth is Auth0",
    "token is OAuth2",
    "pin 1234 to node",
    "password: 'required|min:8'",
    "tokenizer: cl100k_base",
    "model token limit: gpt-4o-mini-2024-07-18",
    "passwords are hashed with argon2id",
    "the api key is in 1Password",
    "token is valid until 2026-01-05T09:00:00Z",
    "credentials: 'same-origin'",
    "secret=kv/data/prod/app1",
    "pwd: /home/eva/project1",
    "private key: ~/.ssh/id_ed25519",
    "secretName: app-tls-2024",
    "The password is stored in the vault",
    "the password is hashed with bcrypt",
    "the password is expired",
    "The password is too short",
    "the password is the same as before",
    "The password is in the vault",
    "The password is kept in 1Password",
    "The password is case sensitive",
    "the password is never logged",
    "the password is only sent once",
    "the password is eight characters long",
    "the password is base64 encoded",
    "The password is argon2id-hashed",
    "the password is plaintext, which is bad",
    "The password is user-supplied",
    "The password was sent by mail",
    "The password is rotated every 90 days",
    "the password is what the user typed",
    "the password isn't checked",
    "The password's length is checked",
    "a password to login with",
    "the password reset flow is broken",
    "password reset-token-endpoint-test",
    "the password is randomly generated",
    "The passphrase is optional",
    "the passcode is wrong",
    "password: stored and hashed",
    "the password is unique",
    "the password is stronger now",
    "the password is next to the monitor",
    "the password is Okta's business",
    "the password is mine",
    "the password is printed on the label",
    "the password is easy to guess",
    "the password is at least 8 long",
    "reset password: link is broken",
    "the password is left empty",
    "the password is user input",
    "the code word for it is unclear",
    "Das Passwort ist falsch",
    "user/password authentication is off",
    "user and password are required",
    "username and password: required",
    "login page / signup page",
    "login via src/auth2/Login.tsx",
    "the login and logout routes",
    "account settings / billing",
    "part 123-45-67890",
    "call 555-12-345",
    "on 2024-05-1120",
    "order 000-12-3456",
    "1111111111111111",
    "4111111111111112",
    "",
]


@pytest.mark.parametrize("name", SECRETS)
def test_a_secret_is_masked(name):
    frame, secret = SECRETS[name]
    text, count = mask_secrets(frame.format(secret))
    assert secret not in text
    assert SECRET in text
    assert count == 1, text


@pytest.mark.parametrize("text", HARMLESS)
def test_what_is_no_secret_stays(text):
    assert mask_secrets(text) == (text, 0)


def test_there_are_enough_examples():
    assert len(SECRETS) >= 60
    assert len(HARMLESS) >= 60


@pytest.mark.parametrize("name", SECRETS)
def test_masking_twice_is_masking_once(name):
    frame, secret = SECRETS[name]
    once, _ = mask_secrets(frame.format(secret))
    assert mask_secrets(once) == (once, 0)


def test_words_drawn_with_a_number_are_a_secret_that_goes_into_the_environment():
    masked, _ = mask_secrets("no time, it's Plover-Teacake-3306 , put it in a env var")
    assert "Plover" not in masked
    plain = "We run Node-18-Alpine with the env var DEBUG of build-of-2024."
    assert mask_secrets(plain) == (plain, 0)


def test_a_plain_key_is_masked_if_its_end_looks_drawn_and_names_of_code_stay():
    masked, _ = mask_secrets("staging key is tk_stg_9f3Lq0vvR2, put it in env")
    assert masked == "staging key is [secret], put it in env"
    assert "vvR2" not in mask_secrets("The key is tk-stg-9f3Lq0vvR2.")[0]
    for name in ("app_cfg_Main2", "order_id", "Customer2Order", "customerRefV2Field", "user_id_v2"):
        assert mask_secrets(f"The key is {name} there.")[0] == f"The key is {name} there."


def test_only_the_secret_goes_and_every_one_is_counted():
    frame = "Use postgres://app:{0}@db.example.com/shop with DB_PASSWORD={1}, then pay with {2}."
    text, count = mask_secrets(frame.format("hunter2", "s3cretpw", CARD))
    assert text == frame.format(SECRET, SECRET, SECRET)
    assert count == 3


@pytest.mark.parametrize(
    ("frame", "secret"),
    [
        ("la clave de la alarma del taller es {} desde marzo", "Girasol_204"),
        ("my login there is kpetrov and {}, it says unknown user", "Teapot!615"),
        ("break glass login, user ops-2 pass {}", "Amber-Kite-37-Wool"),
        ("le mot de passe du club, c'est {}", "Mouette-58"),
        ("hasło do sieci to {}", "Jodla2019"),
        ("WLAN für Gäste: {}", "Birnbaum88x"),
        ("user is tickets@, pass is {}", "Gr1maldi-Trapdoor-88"),
        ("mot de passe de la box : {}", "citronvert2019"),
    ],
)
def test_a_word_made_up_to_be_a_password_is_masked_some_words_behind_what_it_opens(frame, secret):
    assert mask_secrets(frame.format(secret)) == (frame.format(SECRET), 1)


@pytest.mark.parametrize(
    "text",
    [
        "The login page is US-1234 on the board, and test-suite-2024 covers it.",
        "La clave del problema es la base de datos de 2024.",
        "The wifi reaches room B12 and the Nordhalle2 poorly.",
        "Log in at https://example.com/Start_2024 first.",
        "We pass Http_Client to the handler, and JWT_token through the context.",
        "Boarding pass Lufthansa-LH2040 is in the mail.",
        "Login flow: oauth2-proxy in front of it.",
        "The login provider: keycloak26",
        "Password hashing: argon2id-v19",
        "login via OAuth2_Proxy",
    ],
)
def test_names_and_numbers_near_a_login_stay(text):
    assert mask_secrets(text) == (text, 0)


def test_a_secret_between_other_words_leaves_them_alone():
    text, _ = mask_secrets(f"Deploy with {SECRETS['github'][1]} on Friday at 10:30 to shop-7.")
    assert text == f"Deploy with {SECRET} on Friday at 10:30 to shop-7."


@pytest.mark.parametrize(
    "text",
    ["a" * 200_000, "a-" * 100_000, "password " * 20_000, "-----BEGIN PRIVATE KEY-----" * 5_000, "token=" * 30_000,
     "4" * 200_000, "a.b_c-" * 30_000, "://" * 60_000, "curl " * 40_000, "eyJ" * 60_000,
     "password is the " * 12_000, "login " * 30_000, "wifi Ab" * 20_000],
    ids=lambda text: text[:12],
)  # fmt: skip
def test_every_text_comes_to_its_end(text):
    with must_end():
        mask_secrets(text)
