/**
 * `npm run doctor -- --machine` runs this program: it says where sessions could run on this machine, and where a start would run
 * them. It starts nothing. The exit code is 0, or 1 when sessions cannot run.
 */
import { loadConfig } from "#shared/config/config.ts";
import { hideEnvironment } from "#shared/config/environment.ts";
import { StartError } from "#shared/base/start-error.ts";
import { loadParts, serviceFolders } from "./service-folders.ts";

/** The environment has secrets, so it is hidden as the platform's is. */
hideEnvironment(process.argv.slice(1));

try {
	process.exitCode = (await isUsable()) ? 0 : 1;
} catch (error) {
	if (!(error instanceof StartError)) throw error;
	console.error(error.message);
	process.exitCode = 1;
}

/** Prints the reports of all parts; whether sessions can run. */
async function isUsable(): Promise<boolean> {
	const config = loadConfig();
	let usable = true;
	for (const { machineReport } of (await loadParts(serviceFolders)).values()) {
		const report = await machineReport?.(config);
		for (const line of report?.lines ?? []) console.log(line);
		usable &&= report?.isUsable ?? true;
	}
	return usable;
}
