/** The data folder that a platform of the old release has left, and what that platform answered (make-old-data.ts makes it). */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { gunzipSync } from "node:zlib";
import { projectRoot } from "#shared/base/project-root.ts";

export const oldDataFile = join(projectRoot, "test/fixtures/data-35da4e64.json.gz");

/** The person whose data it is, whoever runs the platform. */
export const oldUser = { token: "token-of-ada", id: "ada", tenant: "acme", roles: ["admin"] } as const;

/** The configuration under which the data was made. */
export const oldConfig = { identity: { kwargs: { users: [oldUser] } } } as const;

/** The header of that person's requests. */
export const oldHeaders = { authorization: `Bearer ${oldUser.token}` } as const;

export interface OldData {
	/** The files of the data folder in base64, by their paths. */
	readonly files: Readonly<Record<string, string>>;
	/** The answers to GET requests, by their paths. */
	readonly answers: Readonly<Record<string, unknown>>;
	/** A personal access token of the old platform. */
	readonly token: string;
	/** The session with a conversation, which is stopped. */
	readonly stopped: string;
	/** The session that ran, and had a hold of the budget. */
	readonly running: string;
	/** The time at which the platform was killed, in milliseconds since 1970. */
	readonly at: number;
}

export function readOldData(): OldData {
	return JSON.parse(gunzipSync(readFileSync(oldDataFile)).toString("utf8"));
}

/** Writes the files into a data folder. */
export function unpackOldData({ files }: OldData, dataDir: string): void {
	for (const [path, content] of Object.entries(files)) {
		const target = join(dataDir, path);
		mkdirSync(dirname(target), { recursive: true, mode: 0o700 });
		writeFileSync(target, Buffer.from(content, "base64"), { mode: 0o600 });
	}
}
