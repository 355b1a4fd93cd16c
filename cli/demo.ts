/**
 * `npm run demo [-- <repository>] [--branch <name>] [--keep]` runs the whole main job against a running platform and
 * shows the time of each step. Without a repository it works on this checkout, or on an empty workspace where sessions do not have it.
 * `ATELIER_URL` names the platform.
 */
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { apiToken } from "#shared/config/api-token.ts";
import { readCommandLine } from "#shared/config/command-line.ts";
import { apiUrl } from "#shared/config/config.ts";
import { type DemoOptions, runDemo } from "./demo-job.ts";
import { PlatformClient, PlatformError } from "./platform-client.ts";
import { Steps } from "./steps.ts";

const checkout = pathToFileURL(join(import.meta.dirname, "..")).href;

function readOptions(): DemoOptions {
	const { values, positionals } = readCommandLine({
		usage: "npm run demo [-- <repository> --branch <name> --keep]",
		summary:
			"Does the whole main job on a running platform, each step with its time. ATELIER_URL says where the platform is.",
		operands: {
			help: {
				"<repository>":
					"the git repository to work on, a URL or a folder of this machine; default: this checkout, or none where sessions do not have it",
			},
			most: 1,
		},
		options: {
			branch: {
				type: "string",
				default: "",
				value: "name",
				help: "the branch to work on; default: the repository's own",
			},
			keep: { type: "boolean", default: false, help: "leaves the session running" },
		},
	});
	const [named] = positionals;
	return {
		repository: named === undefined ? checkout : repositoryUrl(named),
		branch: values.branch,
		keep: values.keep,
	};
}

/** Returns the URL of a folder of this machine, and everything else as it is. */
function repositoryUrl(named: string): string {
	return existsSync(named) ? pathToFileURL(resolve(named)).href : named;
}

/** The HTTP status of a repository that sessions cannot have. */
const unprocessable = 422;

/** Whether the platform has refused the session because of its repository, or the session could not clone it. */
function isMissing(error: unknown, said: string): boolean {
	return said.includes("CLONE_FAILED") || (error instanceof PlatformError && error.status === unprocessable);
}

/** Sessions may run in containers or on another machine, or as a user to whom this checkout does not belong. */
const otherRepository =
	"Sessions do not have this checkout where they run, so the demo goes on with an empty workspace. To work on a repository: npm run demo -- <url of a repository>";

const options = readOptions();
const ending = new AbortController();
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => ending.abort());
// The reader of the output has left.
for (const output of [process.stdout, process.stderr]) output.on("error", () => ending.abort());
const steps = new Steps((line) => console.log(line), ending.signal);
try {
	await runAnywhere();
	steps.table();
} catch (error) {
	console.error(`\nThe demo failed: ${error instanceof Error ? error.message : String(error)}`);
	process.exitCode = 1;
}

async function runAnywhere(): Promise<void> {
	const client = new PlatformClient(apiUrl(), await apiToken());
	try {
		await runDemo(client, steps, options, ending.signal);
	} catch (error) {
		const said = error instanceof Error ? error.message : String(error);
		const isOfCheckout = options.repository === checkout && isMissing(error, said);
		if (!isOfCheckout || ending.signal.aborted) throw error;
		steps.note(`${said}. ${otherRepository}`);
		await runDemo(client, steps, { ...options, repository: "", branch: "" }, ending.signal);
	}
}
