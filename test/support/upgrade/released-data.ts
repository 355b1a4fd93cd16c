/** The data folder that a platform of release 0.2.0 has left, and what that platform answered (make-released-data.ts made it). */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { gunzipSync } from "node:zlib";
import { projectRoot } from "#shared/base/project-root.ts";

export const releasedDataFile = join(projectRoot, "test/fixtures/data-0.2.0.json.gz");

/** The advice of a test that finds that this release does not read the data any more. */
export const remedy =
	"the stored form has changed: write a migration (docs/upgrade.md, section 'Change the form of stored data'), " +
	"and never make the data of a published release anew";

/** The person whose data it is, whoever runs the platform. */
export const releasedUser = { token: "token-of-ada", id: "ada", tenant: "acme", roles: ["admin"] } as const;

/** The configuration under which the data was made. */
export const releasedConfig = {
	identity: {
		kwargs: { users: [releasedUser, { token: "token-of-bob", id: "bob", tenant: "acme", roles: [] }] },
	},
} as const;

/** The header of that person's requests. */
export const releasedHeaders = { authorization: `Bearer ${releasedUser.token}` } as const;

export interface ReleasedData {
	/** The files of the data folder in base64, by their paths. */
	readonly files: Readonly<Record<string, string>>;
	/** The answers to GET requests, by their paths. */
	readonly answers: Readonly<Record<string, unknown>>;
	/** A personal access token of that platform. */
	readonly token: string;
	/** The session with a conversation, which is stopped. */
	readonly stopped: string;
	/** The session that ran, and had a hold of the budget. */
	readonly running: string;
	/** The time at which the platform was killed, in milliseconds since 1970. */
	readonly at: number;
}

export function readReleasedData(): ReleasedData {
	return JSON.parse(gunzipSync(readFileSync(releasedDataFile)).toString("utf8"));
}

/** Writes the files into a data folder. */
export function unpackReleasedData({ files }: ReleasedData, dataDir: string): void {
	for (const [path, content] of Object.entries(files)) {
		const target = join(dataDir, path);
		mkdirSync(dirname(target), { recursive: true, mode: 0o700 });
		writeFileSync(target, Buffer.from(content, "base64"), { mode: 0o600 });
	}
}
