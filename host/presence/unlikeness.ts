/** Compares the processes of a platform: which of them cannot work together, and why (decision 0076). Pure. */
import type { ProcessEntry } from "#shared/contracts/processes.ts";

/** The most by which the clock of a process may differ from that of the store, in milliseconds. */
const maxSkewMs = 2_000;

interface Unlikeness {
	/** The process that this one cannot work beside, and the sentence that says why; absent: there is none. */
	readonly conflict?: { readonly with: string; readonly sentence: string };
	/** Sentences about what does not work as in one process. */
	readonly shortcomings: readonly string[];
}

interface Registered {
	readonly entry: Pick<ProcessEntry, "id">;
	readonly since: number;
}

/** Whether a process comes before another one, which has to give way when they are unlike. */
export function isBefore(one: Registered, other: Registered): boolean {
	return one.since === other.since ? one.entry.id < other.entry.id : one.since < other.since;
}

/** Compares a process with the others that run. */
export function unlikeness(own: ProcessEntry, others: readonly ProcessEntry[]): Unlikeness {
	const shortcomings = new Set<string>();
	for (const other of others) {
		const sentence = refusal(own, other);
		if (sentence !== undefined) return { conflict: { with: other.id, sentence }, shortcomings: [] };
		for (const one of [...differing(own, other), ...divided(own, other)]) shortcomings.add(one);
	}
	return { shortcomings: [...shortcomings] };
}

/** Returns the sentence about a clock; undefined when it is right. @param ms How far it is ahead of the store's clock. */
export function clockSentence(ms: number): string | undefined {
	if (Math.abs(ms) <= maxSkewMs) return undefined;
	const direction = ms > 0 ? "ahead of" : "behind";
	const seconds = (Math.abs(ms) / 1_000).toFixed(1);
	return `The clock of this machine is ${seconds} s ${direction} the platform's store; synchronise it: ${maxSkewMs / 1_000} s are allowed`;
}

function refusal(own: ProcessEntry, other: ProcessEntry): string | undefined {
	const [never] = namesOfDifferent(own.always, other.always);
	if (never !== undefined)
		return `This process and ${nameOf(other)} have another ${never}; all processes need the same one`;
	const [unlike] = own.release === other.release ? namesOfDifferent(own.alike, other.alike) : [];
	if (unlike !== undefined) {
		return (
			`This process and ${nameOf(other)} have other ${unlike}; give all processes the same, or ` +
			`"processes.rollout" another value for those with the new one (docs/several-processes.md)`
		);
	}
	return refusedMemory(own, other) ?? refusedPlace(own, other);
}

/** Refuses memory beside another process, whose every answer would lack what is in it. */
function refusedMemory(own: ProcessEntry, other: ProcessEntry): string | undefined {
	const what = Object.keys(own.lone).find((name) => {
		const [mine, theirs] = [own.lone[name], other.lone[name]];
		return theirs !== undefined && (mine === "process" || theirs === "process");
	});
	if (what === undefined) return undefined;
	return (
		`This process and ${nameOf(other)} would each have their own ${what} in memory; run one such process, or name an ` +
		"adapter in the configuration whose store all processes share (docs/several-processes.md)"
	);
}

function refusedPlace(own: ProcessEntry, other: ProcessEntry): string | undefined {
	if (!own.place || !other.place) return undefined;
	const isSameHost = own.place.host === other.place.host;
	if (isSameHost && own.machine !== other.machine) {
		return (
			`${capital(nameOf(other))} has the same data folder, or a copy of it, on another machine or in another container; ` +
			"local pods need a data folder of their own on each host"
		);
	}
	if (isSameHost || (own.place.isReachable && other.place.isReachable)) return undefined;
	return (
		`${capital(nameOf(other))} has local pods on another host, and agents on loopback cannot be reached from there; set ` +
		'"pods.runtime.kwargs.listen_host" on both hosts, and name both in "pods.agent_hosts" (docs/several-processes.md)'
	);
}

/** Returns sentences about what differs because an update is under way. */
function differing(own: ProcessEntry, other: ProcessEntry): string[] {
	if (own.release === other.release) return [];
	return namesOfDifferent(own.alike, other.alike).map(
		(name) =>
			`Processes of two rollouts run, with other ${name}; requests see the one or the other until the update is over`,
	);
}

/** Returns sentences about stores that do not reach from one process to another. */
function divided(own: ProcessEntry, other: ProcessEntry): string[] {
	return Object.entries(own.lone).flatMap(([what, reach]) => {
		const isDivided = reach === "host" && other.lone[what] === "host" && own.machine !== other.machine;
		return isDivided ? [`Two processes have their own ${what}: what one stores, the other does not have`] : [];
	});
}

function namesOfDifferent(one: Readonly<Record<string, string>>, other: Readonly<Record<string, string>>): string[] {
	return Object.keys(one).filter((name) => other[name] !== undefined && other[name] !== one[name]);
}

function nameOf({ machine_name, services }: ProcessEntry): string {
	return `the process of ${services.slice(0, 3).join(", ")}${services.length > 3 ? " …" : ""} on "${machine_name}"`;
}

function capital(text: string): string {
	return text.charAt(0).toUpperCase() + text.slice(1);
}
