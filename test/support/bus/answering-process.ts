/** A program that answers the calls of a test over NATS, and that the test may freeze. */
import { ServiceBroker } from "moleculer";
import { defineContract } from "#shared/contracts/contract.ts";
import { implement } from "#shared/bus/service.ts";
import { brokerOptions } from "../../../moleculer.config.ts";
import { testBusKey } from "./test-brokers.ts";

const pid = { type: "number" } as const;
/** Longer than it takes until a silent process is noticed, in milliseconds. */
const timeout = 30_000;

export const answering = defineContract("answering", {
	read: { summary: "Which process answers", params: {}, returns: pid, timeout, idempotent: true },
	write: {
		summary: "Which process answers, of a call that is not repeated without a key",
		params: {},
		returns: pid,
		timeout,
	},
});

if (import.meta.main) {
	const [url = ""] = process.argv.slice(2);
	const broker = new ServiceBroker(brokerOptions({ url, log_level: "fatal" }, testBusKey, "answering"));
	const answer = async () => process.pid;
	broker.createService({ name: answering.name, actions: implement(answering, { read: answer, write: answer }) });
	await broker.start();
}
