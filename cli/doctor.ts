/**
 * `npm run doctor -- --url <url> --token <token>...` tries every route of a running platform as every caller it has a
 * token for, and as callers with wrong tokens. The exit code is 0, 1 when there is a hole, or 2 when the proof was
 * not possible: no platform, no token, or a command line that was not understood.
 */
import { notUnderstood, readCommandLine } from "#shared/config/command-line.ts";
import { apiUrl } from "#shared/config/config.ts";
import { apiToken } from "#shared/config/api-token.ts";
import { examine } from "./doctor/examination.ts";

const { values } = readCommandLine({
	usage: "npm run doctor -- [--url <url>] [--token <token>]...",
	summary:
		"Proves on a running platform that nobody reaches what is not theirs. It makes its own objects and removes them. " +
		"Exit code 1: there is a hole; 2: the proof was not possible.",
	options: {
		url: { type: "string", value: "url", help: "the platform's address; default: ATELIER_URL, or the configured one" },
		token: {
			type: "string",
			multiple: true,
			value: "token",
			help: "a person's login token; the first person owns the objects; default: ATELIER_TOKEN",
		},
	},
});

try {
	const given = values.token ?? [await apiToken()].filter((token) => token !== undefined);
	const { origin } = new URL(values.url ?? apiUrl());
	process.exitCode = (await examine(origin, given, (line) => console.log(line))) ? 0 : 1;
} catch (error) {
	console.error(`The proof was not possible: ${error instanceof Error ? error.message : String(error)}`);
	process.exitCode = notUnderstood;
}
