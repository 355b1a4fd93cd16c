/**
 * Chooses where sessions run when the configuration leaves it open (`pods.runtime.adapter: auto`): in containers where an engine
 * and the image of sessions are there, otherwise as processes of this machine.
 */
// oxlint-disable-next-line no-restricted-imports -- the platform's own folder, which its runtimes make
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { loadAdapterClass, refuseUnknownArguments, typedArguments } from "#shared/config/adapter.ts";
import type { AdapterRef } from "#shared/config/fields/adapter-fields.ts";
import { readMark } from "./runtime-change/runtime-mark.ts";

/** The value of `pods.runtime.adapter` that leaves the choice to the start. */
export const openChoice = "auto";

/** The runtimes for one machine. Each knows only the sessions that it has started. */
export const machineRuntimes = {
	containers: "services/pod-manager/pod-runtimes/containers.ts#ContainersRuntime",
	processes: "services/pod-manager/pod-runtimes/local-process.ts#LocalProcessRuntime",
} as const;
const { containers, processes } = machineRuntimes;

/** The platform for which a runtime is chosen. */
export interface ChoiceHost {
	/** Its data folder. */
	readonly dataDir: string;
	/** The id of its installation; undefined where it has none yet. */
	readonly installation?: string | undefined;
}

/** A runtime that was chosen. */
export interface RuntimeChoice {
	readonly ref: AdapterRef;
	/** The choice with its reason, and the arguments that it leaves unused, for the operator. */
	readonly sentence: string;
	/** Whether sessions are protected less than they would be with the other runtime. */
	readonly isLesser: boolean;
}

/**
 * Returns the choice. It stays once an engine was proven to confine sessions: the other runtime would not know those of its
 * containers, so an engine that is away now must not change it. Each runtime gets those of the arguments that it knows.
 * @throws {SettingError} for an argument that none of them knows, and for an engine's filter that is started for another platform.
 */
export async function chosenRuntime(asked: AdapterRef, host: ChoiceHost): Promise<RuntimeChoice> {
	const { dataDir } = host;
	await refuseUnknown(asked);
	if (await readMark(dataDir)) return inContainers(asked, "Sessions run in containers, as they did before");
	const unusable = await unusableBecause(await known(asked, containers), host);
	if (unusable === undefined && !hasLaunches(dataDir))
		return inContainers(asked, "Sessions run in containers: a container engine and their image are there");
	const why = unusable ?? "some of them still run, or are to be cleared away";
	const ref = await known(asked, processes);
	const sentence = `Sessions run as processes of this machine, and not in containers, so they have the rights of the user that starts the platform. The reason: ${why} (docs/session-containers.md)`;
	return { ref, sentence: sentence + unusedIn(asked, ref), isLesser: true };
}

async function inContainers(asked: AdapterRef, sentence: string): Promise<RuntimeChoice> {
	const ref = await known(asked, containers);
	return { ref, sentence: sentence + unusedIn(asked, ref), isLesser: false };
}

/** Returns the end of a sentence that names the arguments which the chosen runtime does not have; empty when there are none. */
function unusedIn(asked: AdapterRef, chosen: AdapterRef): string {
	const names = (ref: AdapterRef) => Object.keys({ ...ref.kwargs, ...ref.secret_kwargs_env });
	const taken = names(chosen);
	const unused = names(asked).filter((name) => !taken.includes(name));
	return unused.length === 0
		? ""
		: `. These arguments of pods.runtime.kwargs have no effect there: ${unused.join(", ")}`;
}

async function refuseUnknown(asked: AdapterRef): Promise<void> {
	const classes = await Promise.all([containers, processes].map((adapter) => loadAdapterClass({ adapter })));
	refuseUnknownArguments(asked, { kwargs: [...new Set(classes.flatMap(argumentsOf))] });
}

/** Returns the reference of a runtime with those of the arguments that it knows. */
export async function known(asked: AdapterRef, adapter: string): Promise<AdapterRef> {
	const names = argumentsOf(await loadAdapterClass({ adapter }));
	const those = <Value>(given: Readonly<Record<string, Value>>) =>
		Object.fromEntries(Object.entries(given).filter(([name]) => names.includes(name)));
	return { adapter, kwargs: those(asked.kwargs), secret_kwargs_env: those(asked.secret_kwargs_env) };
}

function argumentsOf({ kwargs }: Readonly<Record<string, unknown>>): string[] {
	return Array.isArray(kwargs) ? kwargs.map(String) : [];
}

async function unusableBecause(ref: AdapterRef, host: ChoiceHost): Promise<string | undefined> {
	const runtime = await loadAdapterClass(ref);
	const { unusableBecause: ask } = runtime;
	if (typeof ask !== "function") return "the runtime for containers cannot be asked";
	return ask(typedArguments(runtime, ref.kwargs), host);
}

/** Whether records of sessions of a runtime for this machine are there. */
export function hasLaunches(dataDir: string): boolean {
	try {
		return readdirSync(join(dataDir, "run")).some((name) => !name.startsWith("."));
	} catch {
		return false;
	}
}
