/** Says which runtimes could run sessions on this machine, which one a start takes, and why (`npm run doctor -- --machine`). */
import { loadAdapterClass, typedArguments } from "#shared/config/adapter.ts";
import type { Config } from "#shared/config/config.ts";
import type { MachineReport } from "#host/platform.ts";
import type { AdapterRef } from "#shared/config/fields/adapter-fields.ts";
import { chosenRuntime, known, machineRuntimes, openChoice } from "./chosen-runtime.ts";

/** The statements of a runtime's class about this machine. */
interface RuntimeOutlook {
	/** Why it cannot run here; undefined when nothing is known to prevent it. */
	readonly unusable: string | undefined;
	/** Sentences about what it cannot guarantee here. */
	readonly lacks: readonly string[];
}

const words = { containers: "Containers", processes: "Processes" } as const;

/** Asks without starting or changing anything, beside a platform or without one. @throws {SettingError} for arguments that no runtime has. */
export async function machineReport({ pods, data_dir }: Pick<Config, "pods" | "data_dir">): Promise<MachineReport> {
	const lines: string[] = [];
	for (const name of ["containers", "processes"] as const)
		lines.push(...linesOf(words[name], await outlookOf(await known(pods.runtime, machineRuntimes[name]))));
	const { ref, sentence } = await taken(pods.runtime, data_dir);
	const { unusable } = await outlookOf(ref);
	return { lines: [...lines, sentence], isUsable: unusable === undefined };
}

async function taken(asked: AdapterRef, dataDir: string): Promise<{ ref: AdapterRef; sentence: string }> {
	if (asked.adapter === openChoice) return chosenRuntime(asked, dataDir);
	return {
		ref: asked,
		sentence: `A start takes ${asked.adapter}, because the configuration key "pods.runtime.adapter" names it`,
	};
}

function linesOf(name: string, { unusable, lacks }: RuntimeOutlook): string[] {
	if (unusable !== undefined) return [`${name}: not usable. ${unusable}`];
	return [`${name}: usable`, ...lacks.map((sentence) => `${name}: ${sentence}`)];
}

async function outlookOf(ref: AdapterRef): Promise<RuntimeOutlook> {
	const runtime = await loadAdapterClass(ref);
	const kwargs = typedArguments(runtime, ref.kwargs);
	const { unusableBecause, lacksHere } = runtime;
	const said: unknown = typeof unusableBecause === "function" ? await unusableBecause.call(runtime, kwargs) : undefined;
	if (typeof said === "string") return { unusable: said, lacks: [] };
	const lacks: unknown = typeof lacksHere === "function" ? await lacksHere.call(runtime, kwargs) : [];
	return { unusable: undefined, lacks: Array.isArray(lacks) ? lacks.map(String) : [] };
}
