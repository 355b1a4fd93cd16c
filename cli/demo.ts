/**
 * `npm run demo [-- <repository>] [--branch <name>] [--keep]`: the whole main job against a running platform, each step
 * with its time. Without a repository it works on this checkout. `ATELIER_URL` says where the platform is.
 */
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { apiToken } from "#shared/secrets/api-token.ts";
import { apiUrl } from "#shared/config/config.ts";
import { type DemoOptions, runDemo } from "./demo-job.ts";
import { PlatformClient, PlatformError } from "./platform-client.ts";
import { Steps } from "./steps.ts";

function optionsFrom(args: string[]): DemoOptions {
	const { values, positionals } = parseArgs({
		args,
		allowPositionals: true,
		options: { keep: { type: "boolean", default: false }, branch: { type: "string", default: "" } },
	});
	const checkout = pathToFileURL(join(import.meta.dirname, "..")).href;
	return { repository: positionals[0] ?? checkout, branch: values.branch, keep: values.keep };
}

const steps = new Steps((line) => console.log(line));
try {
	await runDemo(new PlatformClient(apiUrl(), apiToken()), steps, optionsFrom(process.argv.slice(2)));
	steps.table();
} catch (error) {
	console.error(`\nThe demo failed: ${error instanceof PlatformError ? error.message : String(error)}`);
	process.exitCode = 1;
}
