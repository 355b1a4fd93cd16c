/**
 * `npm run audit -- export <file>` saves the audit log of the caller's tenant; `npm run audit -- verify <file>` verifies
 * it without a platform. The exit code is 0, 1 when the log is not whole, 2 for a command that was not understood,
 * or 3 when a log could not be saved or read.
 */
import { readFile } from "node:fs/promises";
import { verifyAudit } from "#shared/store/audit/audit-verification.ts";
import { readCommandLine, refuseCommandLine } from "#shared/config/command-line.ts";
import { apiUrl } from "#shared/config/config.ts";
import { apiToken } from "#shared/config/api-token.ts";
import { exportAudit, readAudit } from "./audit-file.ts";
import { PlatformClient } from "./platform-client.ts";

const commandTable = {
	usage: "npm run audit -- export <file> | verify <file> [--key <file>]",
	summary:
		"Saves the audit log of your tenant, and verifies a saved one offline. ATELIER_URL says where the platform is. Exit code 1: the log is not whole; 3: it could not be saved or read.",
	operands: {
		help: {
			"export <file>": "saves all entries and checkpoints in a new file, one JSON object a line",
			"verify <file>": "verifies the chain and the signatures of a saved log",
		},
		most: 2,
	},
	options: {
		key: {
			type: "string",
			default: "",
			value: "file",
			help: "the public key (PEM) that you trust; default: the one in the saved log",
		},
	},
} as const;

async function verify(file: string, keyFile: string): Promise<boolean> {
	const log = await readAudit(file);
	const publicKey = keyFile === "" ? log.publicKey : await readFile(keyFile, "utf8");
	const { entries, signedUpTo, faults } = verifyAudit({ ...log, publicKey });
	for (const fault of faults) console.log(fault);
	console.log(`${entries} entries continue the chain; signed up to entry ${signedUpTo}; ${faults.length} faults`);
	return faults.length === 0;
}

const { values, positionals } = readCommandLine(commandTable);
const [command, file] = positionals;
try {
	if (command === "export" && file !== undefined) {
		const entries = await exportAudit(new PlatformClient(apiUrl(), await apiToken()), file);
		console.log(`${entries} entries are in ${file}`);
	} else if (command === "verify" && file !== undefined) {
		if (!(await verify(file, values.key))) process.exitCode = 1;
	} else refuseCommandLine(commandTable, "Name export or verify, and one file");
} catch (error) {
	console.error(sentenceOf(error, command === "export" ? "save" : "read", file ?? ""));
	process.exitCode = 3;
}

/** The sentences of the system about a file do not always name it. */
function sentenceOf(error: unknown, verb: "save" | "read", name: string): string {
	const message = error instanceof Error ? error.message : String(error);
	return error instanceof Error && "code" in error ? `Cannot ${verb} the audit log "${name}": ${message}` : message;
}
