/**
 * `npm run compose:env` makes the two files of docker-compose.yml: `.env` with random secrets and ports for the containers, and
 * `atelier.env` with the variables of the platform. Nothing that is there is changed, because databases and sessions were made with
 * these secrets; what an earlier release did not have is added.
 */
import { createPrivateKey, createPublicKey, generateKeyPairSync, randomBytes } from "node:crypto";
import { appendFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { projectRoot } from "#shared/base/project-root.ts";
import { openInstallationKey } from "#shared/base/secrets/keys.ts";
import { readCommandLine } from "#shared/config/command-line.ts";

type Values = Readonly<Record<string, string>>;

const { positionals } = readCommandLine({
	usage: "npm run compose:env [-- <file>]",
	summary:
		"Makes the file .env of docker-compose.yml with random secrets, and atelier.env beside it for the variables of the platform. What is there stays as it is.",
	operands: { help: { "<file>": "the file with the secrets; default: .env of the project" }, most: 1 },
	options: {},
});
const file = resolve(positionals[0] ?? join(projectRoot, ".env"));
const platformFile = join(dirname(file), "atelier.env");
/** Variables of the programs that read the file, and one of an earlier release. */
const ofPrograms = /^(COMPOSE|DOCKER|BUILDKIT)_|^LOGIN_KEY_SET$/;

/** Letters and digits only, so that it can be part of a URL. The first is a letter: nats-server takes 12e5… for a number. */
function secret(): string {
	return `s${randomBytes(24).toString("hex")}`;
}

function loginKey(): string {
	const { privateKey } = generateKeyPairSync("ed25519");
	return privateKey.export({ format: "der", type: "pkcs8" }).toString("base64");
}

/** Returns the public half of the key that signs logins as the address of a key set, which needs no server. */
function keySetOf(privateKey: string): string {
	const key = createPrivateKey({ key: Buffer.from(privateKey, "base64"), format: "der", type: "pkcs8" });
	const shown = { ...createPublicKey(key).export({ format: "jwk" }), alg: "EdDSA", use: "sig", kid: "trial" };
	return `data:application/json;base64,${Buffer.from(JSON.stringify({ keys: [shown] })).toString("base64")}`;
}

function valuesWith(there: Values): Values {
	const { ATELIER_INSTALLATION_KEY = randomBytes(32).toString("base64url") } = there;
	return {
		ATELIER_PORT: "8080",
		LOGIN_PORT: "8081",
		ATELIER_ENV: dirname(platformFile) === resolve(projectRoot) ? relative(projectRoot, platformFile) : platformFile,
		ATELIER_INSTALLATION_KEY,
		// Only docker-compose.engine.yml uses the id that follows from the key, and the folders of this machine: data, and the engine's socket.
		ATELIER_INSTALLATION: openInstallationKey("", ATELIER_INSTALLATION_KEY).installationId(),
		ATELIER_DATA: "/srv/atelier",
		ENGINE_FOLDER: "/var/run",
		CREDENTIAL_ENCRYPTION_KEY: randomBytes(32).toString("base64"),
		NATS_GATEWAY_PASSWORD: secret(),
		NATS_SESSIONS_PASSWORD: secret(),
		NATS_POD_MANAGER_PASSWORD: secret(),
		MONGODB_ROOT_PASSWORD: secret(),
		MONGODB_PASSWORD: secret(),
		MONGODB_SET_KEY: secret(),
		LOGIN_PRIVATE_KEY: loginKey(),
		LOGIN_PASSWORD_ADA: secret(),
		LOGIN_PASSWORD_BOB: secret(),
		...there,
	};
}

function platformLines({ ATELIER_PORT = "", LOGIN_PORT = "", LOGIN_PRIVATE_KEY = "" }: Values): string {
	return `# The variables of the platform (docs/configuration.md), which all its containers get, such as the keys of model providers. They
# have precedence over the files in config/compose. After a change: docker compose up -d. Ports and passwords of the containers are in .env.

# The address that people see.
GATEWAY__PUBLIC_URL=http://127.0.0.1:${ATELIER_PORT}

# The provider for trying out. Yours needs its address only: remove the second line then.
IDENTITY__KWARGS__ISSUER=http://127.0.0.1:${LOGIN_PORT}
IDENTITY__KWARGS__JWKS_URI=${keySetOf(LOGIN_PRIVATE_KEY)}

# ANTHROPIC_API_KEY=
# OPENAI_API_KEY=
`;
}

/** Returns the variables of a file; empty when there is none. */
function variablesIn(path: string): Values {
	const lines = existsSync(path) ? readFileSync(path, "utf8").matchAll(/^(\w+)=(.*)$/gm) : [];
	return Object.fromEntries([...lines].map(([, name = "", value = ""]) => [name, value]));
}

/** Adds to the file what it lacks, and makes it when there is none. */
function complete(path: string, there: Values, values: Values): void {
	const lacking = Object.entries(values).filter(([name]) => there[name] === undefined);
	const lines = lacking.map(([name, value]) => `${name}=${value}\n`).join("");
	if (!existsSync(path)) {
		writeFileSync(path, lines, { mode: 0o600, flag: "wx" });
		console.log(`${path} has new secrets; only its owner can read it`);
	} else if (lines === "") console.log(`${path} exists and stays as it is`);
	else {
		const end = readFileSync(path, "utf8").endsWith("\n") ? "" : "\n";
		appendFileSync(path, end + lines);
		console.log(`${path} exists, and has these beside what it had: ${lacking.map(([name]) => name).join(", ")}`);
	}
}

const there = variablesIn(file);
const values = valuesWith(there);
const known = Object.keys(valuesWith({}));
complete(file, there, values);
if (existsSync(platformFile)) console.log(`${platformFile} exists and stays as it is`);
else {
	writeFileSync(platformFile, platformLines(values), { mode: 0o600, flag: "wx" });
	console.log(`${platformFile} has the variables of the platform: write the keys of your model providers into it`);
}
const stray = Object.keys(there).filter((name) => !known.includes(name) && !ofPrograms.test(name));
if (stray.length > 0)
	console.log(
		`These variables of ${file} reach no container; move those of the platform to ${platformFile}: ${stray.join(", ")}`,
	);
