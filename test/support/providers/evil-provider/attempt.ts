/** One operation of one adapter against one way of the evil provider, and everything that was wrong about it. */
import { inspect, isDeepStrictEqual } from "node:util";
import { monotonic } from "#shared/base/clock.ts";
import { ServiceError } from "#shared/base/errors.ts";
import { outboundConfig } from "./outbound-config.ts";
import { Outbound, type OutboundAnswer, type OutboundRequest } from "#shared/net/outbound/outbound.ts";
import type { Elsewhere } from "./elsewhere.ts";
import { EvilProvider } from "./evil-provider.ts";
import type { Recording } from "./recording.ts";
import { resultFaults } from "./result-faults.ts";
import type { Scenario } from "./scenario.ts";
import { type Operation, type Subject, writeOf } from "./subject.ts";

export interface Trial {
	readonly subject: Subject;
	readonly operation: Operation;
	readonly scenario: Scenario;
	readonly recording: Recording;
	/** The result with the honest server. */
	readonly honest: unknown;
	readonly elsewhere: Elsewhere;
}

export interface Attempt {
	readonly trial: Trial;
	/** One of the outcomes, or the name of another class of errors. */
	readonly outcome: string;
	readonly calls: number;
	readonly ms: number;
	/** The sentences for a person who looks for the mistake; none is right. */
	readonly faults: readonly string[];
}

/** The time of one request to a server that gives no answer, and that to another one, in milliseconds. */
const shortMs = 250;
const patientMs = 60_000;
/** The most bytes of an answer that may have left the evil server: the bound of the outbound requests, and full sockets. */
const maxSentBytes = 64 * 1_048_576;
/** Stands for the provider's own host in honest results. */
export const honestHost = "honest.test";
/** Three times what an operation may take, by the clock of the trials. */
const maxMs = 30_000;
const maxSentence = 600;
/** The most times that one request is sent. */
const maxTries = 3;

/** Gives requests another time than they ask for: the machine may be too busy for honest answers to come soon. */
class TimedOutbound extends Outbound {
	readonly timeoutMs: number;

	constructor(origins: readonly string[], timeoutMs: number) {
		super({ ...outboundConfig, allow: [...origins] }, async () => []);
		this.timeoutMs = timeoutMs;
	}

	override send(request: OutboundRequest): Promise<OutboundAnswer> {
		return super.send({ ...request, timeoutMs: this.timeoutMs });
	}
}

export async function attempt(trial: Trial): Promise<Attempt> {
	const { subject, operation, scenario, recording, elsewhere } = trial;
	const isWrite = writeOf(subject);
	const isSpoiled = operation.kind === "write" ? isWrite : () => true;
	await using evil = await EvilProvider.start({ scenario, recording, elsewhere: elsewhere.origin, isSpoiled, isWrite });
	const origin = `${scenario.scheme ?? "http"}://${evil.host}`;
	const outbound = new TimedOutbound([origin, elsewhere.origin], scenario.isSlow ? shortMs : patientMs);
	const token = `canary-${crypto.randomUUID()}`;
	const started = monotonic();
	const [settled] = await Promise.allSettled([operation.run({ origin, token, outbound })]);
	const ms = monotonic() - started;
	outbound.close();
	const outcome = outcomeOf(settled, trial, evil.origin);
	const error: unknown = settled.status === "rejected" ? settled.reason : undefined;
	const secrets = [token, ...(subject.secrets?.(token) ?? [])];
	const faults = [
		...outcomeFaults(outcome, trial, error),
		...(settled.status === "fulfilled" ? formFaults(settled.value, trial) : errorFaults(error, subject, secrets)),
		...leaks(elsewhere, secrets),
		...overspending(evil, operation, scenario),
		...(ms > maxMs ? [`took ${Math.round(ms)} ms`] : []),
	];
	return { trial, outcome, calls: evil.calls, ms, faults };
}

function outcomeOf(settled: PromiseSettledResult<unknown>, { honest }: Trial, origin: string): string {
	if (settled.status === "rejected")
		return settled.reason instanceof Error ? settled.reason.constructor.name : String(settled.reason);
	return isDeepStrictEqual(settled.value, replaced(honest, origin)) ? "fine" : "other";
}

/** The honest result, as the server at this origin would have it. */
function replaced(honest: unknown, origin: string): unknown {
	const text = JSON.stringify(honest);
	return text === undefined ? undefined : JSON.parse(text.replaceAll(honestHost, new URL(origin).host));
}

function outcomeFaults(outcome: string, { operation, scenario }: Trial, error: unknown): string[] {
	const named = operation.kind === "write" ? (scenario.write ?? scenario.read) : scenario.read;
	const allowed = [...named, ...(operation.ignoresAnswer ? ["fine"] : []), ...(operation.mayBeAbsent ? ["other"] : [])];
	return allowed.includes(outcome)
		? []
		: [`${outcome} and not ${allowed.join(" or ")}: ${inspect(error).slice(0, 600)}`];
}

function formFaults(result: unknown, { operation, honest }: Trial): string[] {
	return result === undefined && operation.mayBeAbsent ? [] : resultFaults(result, honest);
}

function errorFaults(error: unknown, { name, provider = name }: Subject, secrets: readonly string[]): string[] {
	if (!(error instanceof ServiceError)) return ["The error is none for a caller"];
	const faults: string[] = [];
	const { message, type } = error;
	if (!/^[A-Z]/.test(message) || message.endsWith(".")) faults.push(`no sentence: ${message}`);
	if (!message.toLowerCase().includes(provider)) faults.push(`does not name the provider: ${message}`);
	if (message.length > maxSentence) faults.push(`a sentence of ${message.length} characters`);
	if (/\p{Cc}/u.test(message)) faults.push(`repeats the provider's text: ${JSON.stringify(message)}`);
	if (!/^[A-Z][A-Z0-9_]+$/.test(type)) faults.push(`the type is ${type}`);
	const all = `${inspect(error, { depth: 12, showHidden: true })} ${JSON.stringify(error)} ${error.stack}`;
	if (secrets.some((secret) => all.includes(secret))) faults.push(`the error has the token: ${message}`);
	return faults;
}

function leaks(elsewhere: Elsewhere, secrets: readonly string[]): string[] {
	return secrets.some((secret) => elsewhere.saw(secret)) ? ["another host got the token"] : [];
}

function overspending(evil: EvilProvider, operation: Operation, scenario: Scenario): string[] {
	const faults: string[] = [];
	const budget = scenario.isEndless ? (operation.pages ?? operation.calls) : operation.calls;
	if (evil.calls > budget) faults.push(`${evil.calls} calls and not ${budget}`);
	// Only a refusal for the rate says that nothing was done.
	const most = operation.isIdempotent || scenario.isUndone ? maxTries : operation.changes;
	if (evil.writes > most) faults.push(`changed ${evil.writes} times`);
	if (evil.sentBytes > maxSentBytes) faults.push(`read ${evil.sentBytes} bytes`);
	return faults;
}
