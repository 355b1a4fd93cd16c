/** Says which runtimes could run sessions on this machine, which one a start takes, and why (`npm run doctor -- --machine`). */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { loadAdapterClass, typedArguments } from "#shared/config/adapter.ts";
import type { Config } from "#shared/config/config.ts";
import { openInstallationKey } from "#shared/base/secrets/keys.ts";
import { SettingError } from "#shared/base/start-error.ts";
import type { MachineReport } from "#host/platform.ts";
import type { AdapterRef } from "#shared/config/fields/adapter-fields.ts";
import { type ChoiceHost, chosenRuntime, known, machineRuntimes, openChoice } from "./chosen-runtime.ts";

/** The configuration that is examined. */
type Examined = Pick<Config, "pods" | "data_dir" | "installation_key">;

/** The statements of a runtime's class about this machine. */
interface RuntimeOutlook {
	/** Why it cannot run here; undefined when nothing is known to prevent it. */
	readonly unusable: string | undefined;
	/** Sentences about what it cannot guarantee here. */
	readonly lacks: readonly string[];
}

const words = { containers: "Containers", processes: "Processes" } as const;

/** Asks without starting or changing anything, beside a platform or without one. @throws {SettingError} for arguments that no runtime has. */
export async function machineReport(config: Examined): Promise<MachineReport> {
	const { pods } = config;
	const host = { dataDir: config.data_dir, installation: installationOf(config) };
	const lines: string[] = [];
	for (const name of ["containers", "processes"] as const)
		lines.push(...linesOf(words[name], await outlookOf(await known(pods.runtime, machineRuntimes[name]), host)));
	const { ref, sentence } = await taken(pods.runtime, host);
	const unusable = ref && (await outlookOf(ref, host)).unusable;
	return { lines: [...lines, sentence], isUsable: ref !== undefined && unusable === undefined };
}

/** Returns the id of the installation; undefined where it has no key yet, which would be made, or this user may not read it. */
function installationOf({ data_dir, installation_key }: Examined): string | undefined {
	if (installation_key === "" && !existsSync(join(data_dir, "keys", "installation"))) return undefined;
	try {
		return openInstallationKey(data_dir, installation_key).installationId();
	} catch {
		return undefined;
	}
}

/** Returns the runtime of a start with its reason, or no runtime with the sentence with which the start ends. */
async function taken(asked: AdapterRef, host: ChoiceHost): Promise<{ ref: AdapterRef | undefined; sentence: string }> {
	if (asked.adapter === openChoice)
		return chosenRuntime(asked, host).catch((error: unknown) => {
			if (!(error instanceof SettingError)) throw error;
			return { ref: undefined, sentence: `A start ends at once: ${error.message}` };
		});
	return {
		ref: asked,
		sentence: `A start takes ${asked.adapter}, because the configuration key "pods.runtime.adapter" names it`,
	};
}

function linesOf(name: string, { unusable, lacks }: RuntimeOutlook): string[] {
	if (unusable !== undefined) return [`${name}: not usable. ${unusable}`];
	return [`${name}: usable`, ...lacks.map((sentence) => `${name}: ${sentence}`)];
}

async function outlookOf(ref: AdapterRef, host: ChoiceHost): Promise<RuntimeOutlook> {
	const runtime = await loadAdapterClass(ref);
	const kwargs = typedArguments(runtime, ref.kwargs);
	const { unusableBecause, lacksHere } = runtime;
	const said: unknown = typeof unusableBecause === "function" ? await saidBy(unusableBecause, kwargs, host) : undefined;
	if (typeof said === "string") return { unusable: said, lacks: [] };
	const lacks: unknown = typeof lacksHere === "function" ? await lacksHere.call(runtime, kwargs, host) : [];
	return { unusable: undefined, lacks: Array.isArray(lacks) ? lacks.map(String) : [] };
}

/** The filter of another platform ends a start, and is a reason among others in a report. */
async function saidBy(ask: CallableFunction, kwargs: object, host: ChoiceHost): Promise<unknown> {
	try {
		return await ask(kwargs, host);
	} catch (error) {
		if (!(error instanceof SettingError)) throw error;
		return error.message;
	}
}
