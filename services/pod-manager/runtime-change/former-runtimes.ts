/**
 * Looks for sessions that run at a runtime which was used before. The one that is used now does not know them, would take them
 * for lost, and would start each a second time in the same workspace.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { loadAdapter, loadAdapterClass } from "#shared/config/adapter.ts";
import type { AdapterRef } from "#shared/config/fields/adapter-fields.ts";
import { SettingError, StartError } from "#shared/base/start-error.ts";
import { hasLaunches, machineRuntimes } from "../chosen-runtime.ts";
import { isAlive, type PodRuntime, type RuntimeHost } from "../pod-runtime.ts";
import { markFile, readMark } from "./runtime-mark.ts";

/** The most sessions that a sentence names. */
const maxNamed = 3;
const methods = ["inventory", "close"] as const;
const help = "docs/session-containers.md#another-runtime";

/** A runtime of this machine that may have been used. */
interface FormerRuntime {
	readonly adapter: string;
	/** The arguments with which it finds its sessions. */
	readonly kwargs: Readonly<Record<string, unknown>>;
	/** Where its sessions run, in words. */
	readonly where: string;
	/** The operator's way when it cannot be asked any more. */
	readonly otherwise: string;
}

/**
 * Refuses a runtime while sessions run at another one of this machine. Without records of a launch nothing runs, and nothing is asked.
 * @throws {SettingError} when some run there. {StartError} when the former runtime cannot be asked.
 */
export async function refuseLeft(chosen: Pick<AdapterRef, "adapter">, host: RuntimeHost): Promise<void> {
	if (!hasLaunches(host.dataDir)) return;
	const used = await loadAdapterClass(chosen);
	for (const former of await formerRuntimes(host.dataDir)) {
		if ((await loadAdapterClass(former)) === used) continue;
		const living = await livingAt(former, host);
		if (living.length > 0) throw new SettingError(refusal(former, living));
	}
}

async function formerRuntimes(dataDir: string): Promise<FormerRuntime[]> {
	const { containers, processes } = machineRuntimes;
	const mark = await readMark(dataDir).catch((error: unknown) => {
		throw unknown("in containers", error, removal(dataDir));
	});
	const inContainers = { adapter: containers, where: "in containers", otherwise: removal(dataDir) };
	const asProcesses = { adapter: processes, where: "as processes of this machine", otherwise: "" };
	return [
		...(mark ? [{ ...inContainers, kwargs: { socket: mark.socket } }] : []),
		// The runtime for processes makes it before its first one.
		...(existsSync(join(dataDir, "run", ".id")) ? [{ ...asProcesses, kwargs: {} }] : []),
	];
}

/** Returns the ids of the sessions that run there. */
async function livingAt({ adapter, kwargs, where, otherwise }: FormerRuntime, host: RuntimeHost): Promise<string[]> {
	const ref: AdapterRef = { adapter, kwargs, secret_kwargs_env: {} };
	const runtime = await loadAdapter<PodRuntime>(ref, methods, { ...host });
	try {
		const { pods } = await runtime.inventory();
		return [...new Set(pods.filter(isAlive).map(({ sessionId }) => sessionId))];
	} catch (error) {
		throw unknown(where, error, otherwise);
	} finally {
		await runtime.close();
	}
}

function refusal({ where }: FormerRuntime, living: readonly string[]): string {
	const named = living.slice(0, maxNamed).map((id) => `"${id}"`);
	const more = living.length > maxNamed ? ` and ${living.length - maxNamed} more` : "";
	return (
		`Sessions still run ${where}, which the configured runtime does not know: ${named.join(", ")}${more}. It would start them a second time in ` +
		`the same workspaces. Start with the former runtime, and stop them or end the platform with PODS__ON_EXIT=stop; then change the runtime (${help})`
	);
}

function unknown(where: string, cause: unknown, otherwise: string): StartError {
	const reason = cause instanceof Error ? cause.message : String(cause);
	return new StartError(`Cannot tell whether sessions still run ${where}: ${reason}. ${otherwise} (${help})`, {
		cause,
	});
}

function removal(dataDir: string): string {
	return `Start the engine, or remove the file "${markFile(dataDir)}" if the engine and its containers are gone for good`;
}
