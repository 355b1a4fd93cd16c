/**
 * `npm run compose:env` makes the file `.env` of docker-compose.yml with random secrets. A file that exists stays as it is,
 * because databases and sessions were made with its secrets.
 */
import { generateKeyPairSync, randomBytes } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { openInstallationKey } from "#shared/base/secrets/keys.ts";
import { readCommandLine } from "#shared/config/command-line.ts";

const { positionals } = readCommandLine({
	usage: "npm run compose:env [-- <file>]",
	summary: "Makes the file .env of docker-compose.yml with random secrets. A file that exists stays as it is.",
	operands: { help: { "<file>": "the file to make; default: .env of the project" }, most: 1 },
	options: {},
});
const file = resolve(positionals[0] ?? join(import.meta.dirname, "../../.env"));

/** Letters and digits only, so that it can be part of a URL. The first is a letter: nats-server takes 12e5… for a number. */
function secret(): string {
	return `s${randomBytes(24).toString("hex")}`;
}

/** The key that signs logins, and its public half as the address of a key set, which needs no server. */
function loginKey(): Record<string, string> {
	const { privateKey, publicKey } = generateKeyPairSync("ed25519");
	const shown = { ...publicKey.export({ format: "jwk" }), alg: "EdDSA", use: "sig", kid: "trial" };
	const set = Buffer.from(JSON.stringify({ keys: [shown] })).toString("base64");
	return {
		LOGIN_PRIVATE_KEY: privateKey.export({ format: "der", type: "pkcs8" }).toString("base64"),
		LOGIN_KEY_SET: `data:application/json;base64,${set}`,
	};
}

const installationKey = randomBytes(32).toString("base64url");
const values: Record<string, string> = {
	ATELIER_PORT: "8080",
	LOGIN_PORT: "8081",
	ATELIER_INSTALLATION_KEY: installationKey,
	// Only docker-compose.engine.yml uses the id that follows from the key, and the data folder of this machine.
	ATELIER_INSTALLATION: openInstallationKey("", installationKey).installationId(),
	ATELIER_DATA: "/srv/atelier",
	CREDENTIAL_ENCRYPTION_KEY: randomBytes(32).toString("base64"),
	NATS_GATEWAY_PASSWORD: secret(),
	NATS_SESSIONS_PASSWORD: secret(),
	NATS_POD_MANAGER_PASSWORD: secret(),
	MONGODB_ROOT_PASSWORD: secret(),
	MONGODB_PASSWORD: secret(),
	MONGODB_SET_KEY: secret(),
	...loginKey(),
	LOGIN_PASSWORD_ADA: secret(),
	LOGIN_PASSWORD_BOB: secret(),
};

try {
	const lines = Object.entries(values).map(([name, value]) => `${name}=${value}\n`);
	writeFileSync(file, lines.join(""), { mode: 0o600, flag: "wx" });
	console.log(`${file} has new secrets; only its owner can read it`);
} catch (error) {
	if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
	console.log(`${file} exists and stays as it is`);
}
