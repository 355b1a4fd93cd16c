/**
 * `npm run backup`, `restore`, `export` and `import`: archives of an installation and of its documents (docs/backup.md). The
 * exit code is 0, 1 when it cannot be done, or 2 for a command that was not understood.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ArchiveError, type ArchiveKind } from "./archive/archive-format.ts";
import type { Installation } from "./archive/installation.ts";
import { refuseForeignUser } from "./archive/restore-lock.ts";
import { checkArchive, restoreArchive } from "./archive/restore-archive.ts";
import { minPassphrase } from "./archive/sealed-key.ts";
import { writeArchive } from "./archive/write-archive.ts";
import { loadAdapter, loadAdapterClass } from "#shared/config/adapter.ts";
import { readCommandLine, refuseCommandLine } from "#shared/config/command-line.ts";
import { type Config, loadConfig } from "#shared/config/config.ts";
import { hideEnvironment } from "#shared/config/environment.ts";
import { ServiceError } from "#shared/base/errors.ts";
import { exposedKeys, refuseUnusableFiles } from "#shared/base/files/unusable-files.ts";
import { StartError } from "#shared/base/start-error.ts";
import { type DocumentStore, documentStoreMethods } from "#shared/store/document-store.ts";
import { loadParts, serviceFolders } from "./service-folders.ts";
import { platformCollections } from "./storage/storage.ts";

const commandTable = {
	usage: "npm run backup|restore|export|import -- [options] <file>",
	summary: `backup writes everything of this installation into a new file, while the platform runs or not; restore puts it into an
empty place. export and import do so with the documents of the store only, from one kind of store to another.`,
	operands: { help: { "<file>": "the archive: gzip, readable by its owner only" }, most: 2 },
	options: {
		"passphrase-file": {
			type: "string",
			default: "",
			value: "file",
			help: `backup, restore: a file with the passphrase that seals the installation key, at least ${minPassphrase} characters`,
		},
		workspaces: { type: "boolean", default: false, help: "backup: with the files of sessions" },
		force: {
			type: "boolean",
			default: false,
			help: "restore, import: moves what is there aside, or empties a shared store",
		},
		"without-key": {
			type: "boolean",
			default: false,
			help: "restore, import: gives up what only the archive's installation key can read",
		},
		check: {
			type: "boolean",
			default: false,
			help: "restore, import: only reads the archive and compares its checksums",
		},
	},
} as const;

const kinds: Readonly<Record<string, ArchiveKind>> = {
	backup: "backup",
	restore: "backup",
	export: "export",
	import: "export",
};

/** The commands that each option belongs to; one that would be ignored is refused. */
const commandsOf: Readonly<Record<string, readonly string[]>> = {
	"passphrase-file": ["backup", "restore"],
	workspaces: ["backup"],
	force: ["restore", "import"],
	"without-key": ["restore", "import"],
	check: ["restore", "import"],
};

/** The environment has the passwords of stores, so it is hidden as the platform's is. */
hideEnvironment(process.argv.slice(1));
const { values, positionals } = readCommandLine(commandTable);
const [command = "", path] = positionals;
const kind = kinds[command];
if (kind === undefined || path === undefined) refuseCommandLine(commandTable, "Name one file");
for (const [option, value] of Object.entries(values)) {
	const commands = commandsOf[option] ?? [];
	if (value !== false && value !== "" && !commands.includes(command))
		refuseCommandLine(commandTable, `The option --${option} belongs to ${commands.join(" and ")}, not to ${command}`);
}

try {
	const config = loadConfig();
	refuseUnusableFiles(config.data_dir);
	refuseForeignUser(config.data_dir);
	for (const sentence of exposedKeys(config.data_dir)) console.log(sentence);
	const place = await installation(config);
	const order = { path, kind, say: (line: string) => console.log(line), ...passphraseOf(values["passphrase-file"]) };
	if (command === "backup" || command === "export")
		for (const sentence of (await writeArchive(place, { ...order, workspaces: values.workspaces })).missing)
			console.log(`Not in the archive: ${sentence}`);
	else if (values.check) {
		const { header } = await checkArchive(place, order);
		console.log(`The archive is whole: release ${header.release}, as of ${header.since}`);
	} else await restoreArchive(place, { ...order, force: values.force, withoutKey: values["without-key"] });
} catch (error) {
	for (const line of linesOf(error)) console.error(line);
	process.exitCode = 1;
}

async function installation(config: Config): Promise<Installation> {
	const parts = await loadParts(serviceFolders);
	const { data_dir: dataDir, installation_key: configuredKey } = config;
	return {
		dataDir,
		configuredKey,
		collections: [...[...parts.values()].flatMap(({ collections = [] }) => collections), ...platformCollections],
		newStore: (folder) => loadAdapter<DocumentStore>(config.store, documentStoreMethods, { folder }),
		credentials: await credentialFolder(config),
		afterRestore: async (store) => {
			for (const { afterRestore } of parts.values()) await afterRestore?.(store);
		},
		endWork: async (say) => {
			for (const { beforeRestore } of parts.values()) await beforeRestore?.(config, say);
		},
		sessionFiles: async () => {
			for (const { sessionFiles } of parts.values()) {
				const opened = await sessionFiles?.(config);
				if (opened) return opened;
			}
			return undefined;
		},
	};
}

/** Asks the class of the credential store for its folder; one without a folder keeps nothing in files. */
async function credentialFolder({ credential_store, data_dir }: Config): Promise<string | undefined> {
	const { folderOf } = await loadAdapterClass(credential_store);
	if (typeof folderOf !== "function") return undefined;
	const folder: unknown = folderOf({ ...credential_store.kwargs, default_dir: join(data_dir, "credentials") });
	return typeof folder === "string" ? folder : undefined;
}

function passphraseOf(file: string): { passphrase?: string } {
	if (file === "") return {};
	const passphrase = passphraseIn(file).replace(/\r?\n$/, "");
	if (passphrase.length < minPassphrase)
		throw new ArchiveError(`The passphrase in "${file}" has fewer than ${minPassphrase} characters`);
	return { passphrase };
}

function passphraseIn(file: string): string {
	try {
		return readFileSync(file, "utf8");
	} catch (cause) {
		throw new ArchiveError(`Cannot read the passphrase in "${file}": ${(cause as Error).message}`, { cause });
	}
}

/** Failures of the store, the disk and the archive have sentences; anything else is shown with its stack too. */
function linesOf(error: unknown): unknown[] {
	if (!(error instanceof Error)) return [error];
	const isKnown = error instanceof ArchiveError || error instanceof StartError || error instanceof ServiceError;
	if (isKnown) return [error.message];
	const sentence = `The ${command} of "${path}" could not be done: ${error.message}`;
	return "code" in error ? [sentence] : [sentence, error];
}
