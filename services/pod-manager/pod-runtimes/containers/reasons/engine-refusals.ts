/** Translates the refusals of an engine, or of the filter before it, into the reasons that people read. Pure. */
import type { FailureCode } from "#shared/contracts/sessions/status-reasons.ts";
import { PodRefused } from "../../../pod-refused.ts";
import { EngineAway, EngineRefusal } from "../engine-client.ts";

interface Known {
	/** The status of the answer; absent: any. */
	readonly status?: number;
	/** The engine's own words. */
	readonly words: RegExp;
	readonly code: FailureCode;
	/** Whether people read the engine's words, in which there are no paths of this machine. */
	readonly areShown?: boolean;
	/** Whether trying again cannot help; absent: what is usual for the code. */
	readonly final?: boolean;
}

/** The first one that fits counts. */
const known: readonly Known[] = [
	{ words: /no space left on device|disk quota exceeded/i, code: "DISK_FULL" },
	{ words: /could not select device driver/i, code: "UNSCHEDULABLE", areShown: true, final: true },
	{ status: 400, words: /bind source path does not exist/i, code: "VOLUME_MOUNT_FAILED" },
	{ status: 400, words: /invalid reference format/i, code: "IMAGE_INVALID", areShown: true },
	{ status: 400, words: /^(range of cpus|minimum memory|unknown runtime)/i, code: "POD_INVALID", areShown: true },
	{ status: 403, words: /^/, code: "POD_FORBIDDEN", areShown: true },
];
/** The codes of a full disk in the platform's own file system (errno(3)). */
const fullDisk = ["ENOSPC", "EDQUOT"];

/** Returns the refusal that people read for a failed call; undefined for an error that says nothing to them. */
export function refusalFor(error: unknown): PodRefused | undefined {
	if (error instanceof Error && "code" in error && fullDisk.includes(String(error.code)))
		return new PodRefused("DISK_FULL", undefined, { cause: error });
	if (error instanceof EngineAway) return new PodRefused("ENGINE_UNREACHABLE", undefined, { cause: error });
	if (!(error instanceof EngineRefusal)) return undefined;
	const { status, message } = error;
	const found = known.find((one) => (one.status ?? status) === status && one.words.test(message));
	if (!found) return undefined;
	const { code, areShown, final } = found;
	return new PodRefused(code, areShown ? message : undefined, { cause: error, ...(final !== undefined && { final }) });
}

/** @throws {PodRefused} for an error that says something to people; the error otherwise, or the reason of a signal that has aborted. */
export function refuse(error: unknown, signal?: AbortSignal): never {
	// The engine is not away then: nobody waits for its answer any more.
	signal?.throwIfAborted();
	throw refusalFor(error) ?? error;
}

/** Returns the code of a start that failed, by the reason that the engine keeps with the container. */
export function codeOfFailedStart(reason: string): FailureCode {
	return known.find(({ status, words }) => status === undefined && words.test(reason))?.code ?? "CONTAINER_FAILED";
}
