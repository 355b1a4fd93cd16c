/** Runs one attack on a platform with two users, and measures the other user before and during it. */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startPlatform, type TestPlatform } from "../support/platform/start-platform.ts";
import type { Attack } from "./attack.ts";
import type { AttackOrder } from "./attacker.ts";
import { p99 } from "./samples.ts";
import { type Measured, Victim, type Work, works } from "./victim.ts";

/** An attack may double a time; below these additional milliseconds a person notices nothing. */
export const mayTake = 2;
export const floorMs: Readonly<Record<Work, number>> = { get: 50, post: 50, stream: 100, start: 1_000 };

const users = [
	{ token: "token-of-alice", id: "alice", tenant: "acme", roles: [] },
	{ token: "token-of-bob", id: "bob", tenant: "other", roles: [] },
];
const alice = "Bearer token-of-alice";
const bob = { authorization: "Bearer token-of-bob" };

const preparedWithinMs = 600_000;

export interface Effect {
	/** The 99th percentiles in milliseconds. */
	readonly before: number;
	readonly during: number;
	readonly isBounded: boolean;
}

export interface IsolationReport {
	readonly attack: Attack;
	readonly effects: Readonly<Record<Work, Effect>>;
	/** The failures of the other user during the attack. */
	readonly failures: readonly string[];
	/** Nothing failed, and all times are within their bounds. */
	readonly holds: boolean;
}

/** Starts a platform for two users. @param root The sources of the platform; by default the project's. */
export function twoUsers(root?: string): Promise<TestPlatform> {
	return startPlatform({ config: { identity: { kwargs: { users } } }, ...(root !== undefined && { root }) });
}

/** Runs the attack on a separate platform for so many seconds; the baseline is measured for half of that. */
export async function isolationRun(attack: Attack, seconds: number, root?: string): Promise<IsolationReport> {
	await using platform = await twoUsers(root);
	return await attackOn(platform, attack, seconds);
}

export async function attackOn(platform: TestPlatform, attack: Attack, seconds: number): Promise<IsolationReport> {
	const folder = mkdtempSync(join(tmpdir(), "atelier-attack-"));
	await using victim = await Victim.of(platform, bob);
	const order: AttackOrder = {
		name: attack.name,
		prefix: platform.prefix,
		authorization: alice,
		victimId: victim.id,
		folder,
	};
	const attacker = fork(join(import.meta.dirname, "attacker.ts"), { stdio: ["ignore", "ignore", "inherit", "ipc"] });
	try {
		attacker.send(order);
		await prepared(attacker);
		const before = await victim.measure(seconds * 500);
		attacker.send("begin");
		const during = await victim.measure(seconds * 1_000);
		await end(attacker);
		await victim.expectRunning().catch((error: unknown) => during.failures.push(String(error)));
		return reportOf(attack, before, during);
	} finally {
		await end(attacker);
		rmSync(folder, { recursive: true, force: true });
	}
}

/** The result of an attack under which the other user or the attacker could not begin. */
export function notMeasured(attack: Attack, error: unknown): IsolationReport {
	const nothing: Measured = { times: { get: [], post: [], stream: [], start: [] }, failures: [] };
	return reportOf(attack, nothing, { ...nothing, failures: [String(error)] });
}

/** @throws {Error} when the process ends instead. */
async function prepared(attacker: ChildProcess): Promise<void> {
	const waiting = new AbortController();
	const signal = AbortSignal.any([waiting.signal, AbortSignal.timeout(preparedWithinMs)]);
	const ended = once(attacker, "exit", { signal }).then(() => {
		throw new Error("The attack could not be prepared");
	});
	try {
		await Promise.race([once(attacker, "message", { signal }), ended]);
	} finally {
		waiting.abort();
		ended.catch(() => {});
	}
}

async function end(attacker: ChildProcess): Promise<void> {
	if (attacker.exitCode !== null || attacker.signalCode !== null) return;
	const ended = once(attacker, "exit");
	attacker.kill("SIGKILL");
	await ended;
}

function reportOf(attack: Attack, before: Measured, during: Measured): IsolationReport {
	const effects = Object.fromEntries(
		works.map((work) => [work, effectOf(work, before.times[work], during.times[work])]),
	) as Record<Work, Effect>;
	const failures = [...before.failures.map((failure) => `before: ${failure}`), ...during.failures];
	const holds = failures.length === 0 && works.every((work) => effects[work].isBounded);
	return { attack, effects, failures, holds };
}

function effectOf(work: Work, former: readonly number[], present: readonly number[]): Effect {
	const [before, during] = [p99(former), p99(present)];
	return { before, during, isBounded: during <= Math.max(mayTake * before, before + floorMs[work]) };
}
