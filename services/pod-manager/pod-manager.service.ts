/** The pod manager on the bus: wiring only. It offers nothing; it asks the sessions service what is due. */
import { randomUUID } from "node:crypto";
import type { Service, ServiceBroker, ServiceSchema } from "moleculer";
import type { InternalTokens } from "#shared/bus/internal-token.ts";
import { systemPrincipal } from "#shared/bus/principal.ts";
import { call, type Meta, on } from "#shared/bus/service.ts";
import { sessionDue, sessionWork } from "#shared/contracts/session-work.ts";
import type { PassGround } from "./pass.ts";
import { Reconciler, type Work } from "./reconciler.ts";
import { type ExpectedPage, Sweep } from "./sweep.ts";

const job = systemPrincipal("pod-manager");

/** Claim and report together stay below what a lease has left after a pass (6 s). */
const claimTimeoutMs = 2_000;
const observeTimeoutMs = 4_000;
const expectedTimeoutMs = 5_000;
const expectedLimit = 500;

export interface PodManager {
	readonly schema: ServiceSchema;
	/** First step of its end: nothing is claimed any more, and the passes under way are over. */
	readonly stop: () => Promise<void>;
	/** Rejects while commands would not be carried out. */
	readonly check: () => Promise<void>;
}

export function podManager(ground: PassGround, tokens: InternalTokens): PodManager {
	let reconciler: Reconciler | undefined;

	let sweep: Sweep | undefined;

	const stop = async () => {
		await Promise.all([sweep?.stop(), reconciler?.stop()]);
	};

	const schema: ServiceSchema = {
		name: "pod-manager",

		events: on(sessionDue, () => reconciler?.hint()),

		async started(this: Service) {
			const warn = (sentence: string) => this.logger.warn(sentence);
			const passes = new Reconciler(ground, workOver(this.broker, tokens), warn);
			reconciler = passes;
			sweep = new Sweep(
				{
					runtime: ground.runtime,
					expected: (after) => expectedOver(this.broker, tokens, after),
					look: (sessionId) => passes.look(sessionId),
				},
				warn,
			);
		},

		stopped: stop,
	};

	const check = async () => {
		if (!reconciler) throw new Error("it has not started");
		await reconciler.check();
	};

	return { schema, stop, check };
}

function workOver(broker: ServiceBroker, tokens: InternalTokens): Work {
	const { claim_due, observe } = sessionWork.actions;
	const meta = () => metaOf(tokens);
	return {
		claim: (limit, ids) =>
			call(broker, claim_due, { limit, ...(ids && { ids }) }, { meta: meta(), timeout: claimTimeoutMs }),
		observe: (report) => call(broker, observe, report, { meta: meta(), timeout: observeTimeoutMs }),
	};
}

function expectedOver(broker: ServiceBroker, tokens: InternalTokens, after: string | undefined): Promise<ExpectedPage> {
	return call(
		broker,
		sessionWork.actions.expected,
		{ limit: expectedLimit, ...(after !== undefined && { after }) },
		{ meta: metaOf(tokens), timeout: expectedTimeoutMs },
	);
}

function metaOf(tokens: InternalTokens): Meta {
	const request_id = randomUUID();
	return { request_id, token: tokens.mint(job) };
}
