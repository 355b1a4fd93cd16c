/** Tries every operation of an adapter against every way of the evil provider, many at the same time. */
import { Outbound } from "#shared/net/outbound/outbound.ts";
import { turnClock } from "#shared/base/clock.ts";
import { outboundConfig } from "./outbound-config.ts";
import { type Attempt, attempt, honestHost, type Trial } from "./attempt.ts";
import type { Elsewhere } from "./elsewhere.ts";
import { record } from "./recording.ts";
import { scenarios } from "./scenarios/all-scenarios.ts";
import { type Subject, writeOf } from "./subject.ts";

/** Most of the time of an attempt is waiting. */
const maxAtOnce = 40;

/** The times of operations are that much longer: on a busy machine honest answers take long, too. */
const slowness = 6;

export async function attemptsOf(subject: Subject, elsewhere: Elsewhere): Promise<Attempt[]> {
	const turnBack = turnClock({ now: () => Date.now(), monotonic: () => performance.now() / slowness });
	try {
		return await tryAll(await trialsOf(subject, elsewhere));
	} finally {
		turnBack();
	}
}

async function tryAll(trials: readonly Trial[]): Promise<Attempt[]> {
	const attempts: Attempt[] = [];
	const left = trials.values();
	const work = async () => {
		for (const trial of left) attempts.push(await attempt(trial));
	};
	await Promise.all(Array.from({ length: maxAtOnce }, work));
	return attempts;
}

/** Resolves to the attempts to make; each operation is done once with the honest server, to learn its answers. */
async function trialsOf(subject: Subject, elsewhere: Elsewhere): Promise<Trial[]> {
	await using server = await subject.start();
	const { token } = server;
	const trials: Trial[] = [];
	for (const operation of subject.operations) {
		let honest: unknown;
		const recording = await record({ origin: server.origin, isWrite: writeOf(subject) }, async (origin) => {
			const outbound = new Outbound({ ...outboundConfig, allow: [origin] }, async () => []);
			const target = { origin, token, outbound };
			await operation.prepare?.(target);
			const result = JSON.stringify((await operation.run(target)) ?? null);
			honest = JSON.parse(result.replaceAll(new URL(origin).host, honestHost));
			outbound.close();
		});
		trials.push(...scenarios.map((scenario) => ({ subject, operation, scenario, recording, honest, elsewhere })));
	}
	return trials;
}
