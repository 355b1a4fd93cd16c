/**
 * Starts brokers as the platform makes them, one or two in this process; two are connected by an in-memory transporter.
 */
import { randomBytes } from "node:crypto";
import { type BrokerOptions, ServiceBroker } from "moleculer";
import { type Principal, systemPrincipal } from "#shared/base/principal.ts";
import { type Caller, call, type Meta } from "#shared/bus/service.ts";
import { vouch } from "#shared/bus/vouched-principal.ts";
import type { Action } from "#shared/contracts/contract.ts";
import type { Part } from "#host/platform.ts";
import { brokerOptions } from "../../../moleculer.config.ts";

/** The key that seals packets between the brokers of a test. */
export const testBusKey = Buffer.alloc(32, 7);

export const alice: Principal = { kind: "user", id: "alice", tenant: "acme", roles: [] };
export const bob: Principal = { kind: "user", id: "bob", tenant: "acme", roles: [] };
export const carol: Principal = { kind: "user", id: "carol", tenant: "other", roles: ["admin"] };
export const root: Principal = { kind: "user", id: "root", tenant: "acme", roles: ["admin"] };
export const job = systemPrincipal("test");

export interface Nodes {
	/** The broker that tests call from; with two nodes the services are on the other one. */
	readonly near: ServiceBroker;
	stop(): Promise<void>;
}

/** Starts the brokers. @param nodes 1: everything in one broker; 2: the services in a separate broker. */
export async function startNodes(nodes: 1 | 2, services: Part["services"]): Promise<Nodes> {
	const run = randomBytes(4).toString("hex");
	const near = broker(`near-${run}`, nodes === 2);
	const far = nodes === 2 ? broker(`far-${run}`, true) : near;
	for (const service of services) far.createService(service);
	await Promise.all([near.start(), ...(far === near ? [] : [far.start()])]);
	await near.waitForServices(
		services.map(({ name }) => name),
		20_000,
		10,
	);
	return {
		near,
		async stop() {
			await near.stop();
			if (far !== near) await far.stop();
		},
	};
}

function broker(label: string, linked: boolean): ServiceBroker {
	const bus = { url: "", log_level: "fatal" } as const;
	const options = brokerOptions(bus, testBusKey, label);
	return new ServiceBroker(linked ? { ...options, ...link(options) } : options);
}

/**
 * Returns the options of an in-memory transporter on which services are known at once: the framework waits a second for
 * more of them by default.
 */
function link({ transit }: BrokerOptions): BrokerOptions {
	const prompt = { ...transit, serviceChangedDebounceTime: 0 };
	return { transporter: "Fake", transit: prompt };
}

/** The caller and the metadata of a call. */
export interface Calling {
	readonly principal: Principal;
	readonly meta: Meta;
}

/** Calls an action like the gateway does for this principal. */
export function callAs<I, R>(
	caller: Caller,
	who: Principal | Calling,
	action: Action<I, unknown, R>,
	params: NoInfer<I>,
): Promise<R> {
	const { principal, meta } = "principal" in who ? who : { principal: who, meta: {} };
	return call(caller, action, params, { meta: { principal: vouch(principal), ...meta } });
}
