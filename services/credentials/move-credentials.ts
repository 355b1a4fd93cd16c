/**
 * `npm run credentials:move`: moves the credentials of an earlier configuration's store into the store of the present configuration
 * (docs/credentials.md). The exit code is 0, 1 when it cannot be done or something was left alone, or 2 for a command that was not understood.
 */
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { loadAdapter } from "#shared/config/adapter.ts";
import { readCommandLine, refuseCommandLine } from "#shared/config/command-line.ts";
import { type Config, loadConfig } from "#shared/config/config.ts";
import { environment, hideEnvironment } from "#shared/config/environment.ts";
import { ServiceError } from "#shared/base/errors.ts";
import { StartError } from "#shared/base/start-error.ts";
import { type CredentialStore, credentialStoreMethods } from "./store/credential-store.ts";
import { copyCredentials, type MoveReport, removeOriginals } from "./store/store-move.ts";

const commandTable = {
	usage: "npm run credentials:move -- --from <file> [--remove]",
	summary: `copies all credentials of the store that an earlier configuration names into the store of the present one, and reads each copy
back. It can be repeated: what was copied before is left as it is, unless the original is newer. With --remove it copies nothing, and removes
the originals.`,
	operands: { help: {}, most: 0 },
	options: {
		from: {
			type: "string",
			default: "",
			value: "file",
			help: "the earlier configuration, such as atelier-before.yaml",
		},
		remove: {
			type: "boolean",
			default: false,
			help: "removes each original whose copy is there; no process may use the earlier store any more",
		},
	},
} as const;

/** The environment has the tokens of stores, so it is hidden as the platform's is. */
hideEnvironment(process.argv.slice(1));
const { values } = readCommandLine(commandTable);
if (values.from === "") refuseCommandLine(commandTable, "Name the earlier configuration with --from");

try {
	const [earlier, present] = [loadConfig({ ...environment(), ATELIER_CONFIG: values.from }), loadConfig()];
	if (isDeepStrictEqual(placeOf(earlier), placeOf(present)))
		throw new StartError(`The configuration "${values.from}" names the same store as the present one`);
	const move = {
		from: await storeOf(earlier),
		to: await storeOf(present),
		onOwner: (report: MoveReport) => console.log(sentenceOf(report)),
	};
	const report = values.remove ? await removeOriginals(move) : await copyCredentials(move);
	for (const what of report.newer) console.log(`Left alone: the new store has another, newer credential ${what}`);
	for (const what of report.missing) console.log(`Left alone: the new store has no credential ${what}`);
	console.log(`Done. ${sentenceOf(report)}`);
	if (report.newer.length + report.missing.length > 0) process.exitCode = 1;
} catch (error) {
	const isKnown = error instanceof StartError || error instanceof ServiceError;
	console.error(isKnown ? error.message : error);
	if (error instanceof Error && error.cause instanceof Error) console.error(error.cause.message);
	process.exitCode = 1;
}

/** Everything that says where a store is. */
function placeOf({ credential_store, data_dir }: Config): object {
	return { ...credential_store, data_dir };
}

function storeOf({ credential_store, data_dir }: Config): Promise<CredentialStore> {
	const given = { default_dir: join(data_dir, "credentials") };
	return loadAdapter<CredentialStore>(credential_store, credentialStoreMethods, given);
}

function sentenceOf({ copied, present, removed, newer, missing }: MoveReport): string {
	const left = newer.length + missing.length;
	return `${copied.length} copied, ${present.length} were there, ${removed.length} originals removed, ${left} left alone`;
}
