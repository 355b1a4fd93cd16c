/** The contract by which processes without a store announce themselves, and learn which others run. */
import { defineContract } from "./contract.ts";
import { type Output, schema } from "#shared/base/schema/schema.ts";

const text = { type: "string", max: 300 } as const;

/** Fingerprints by the name of what they are of. */
const prints = { type: "record", key: text, value: text } as const;

export const processEntry = schema({
	/** New at each start. */
	id: { ...text, min: 1 },
	/** The name of its machine, for people. */
	machine_name: text,
	/** The running system that it sees: processes with the same one see each other's process ids. */
	machine: text,
	services: { type: "array", max: 100, items: text },
	/** A fingerprint of its contracts, and the label of its rollout: processes with other ones may differ for a while. */
	release: text,
	/** Fingerprints that must never differ, such as that of the installation key. */
	always: prints,
	/** Fingerprints that must not differ between processes of one release. */
	alike: prints,
	/** Stores of this process or of its host only, by what they store. */
	lone: { type: "record", key: text, value: { type: "enum", values: ["process", "host"] } },
	/** The host of its local pods; absent: it has none. */
	place: { type: "object", props: { host: text, isReachable: { type: "boolean" } }, optional: true },
	/** Whether it has yet to find out that it can work beside the others; absent: it has. */
	isJoining: { type: "boolean", optional: true },
});
export type ProcessEntry = Output<typeof processEntry>;

/** When a process registered, by the store's clock. */
const since = { type: "number" } as const;

export const processView = schema({
	/** The time of the store in milliseconds since 1970, at some moment of the request. */
	now: { type: "number" },
	since,
	others: {
		type: "array",
		items: {
			type: "object",
			props: { entry: { type: "object", props: processEntry }, seen: { type: "number" }, since },
		},
	},
});
export type ProcessView = Output<typeof processView>;

export const processes = defineContract("processes", {
	announce: {
		access: "system",
		summary: "Store that a process runs; the others that do, and the time",
		params: processEntry,
		returns: { type: "object", props: processView },
	},
	leave: {
		access: "system",
		summary: "Forget a process that ends in order",
		params: { id: processEntry.id },
	},
});
