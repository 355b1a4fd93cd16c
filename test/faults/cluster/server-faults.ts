/** The bus and the store fail: dead, frozen, deaf to passwords, slow, or silent after they have done their work. */
import { setTimeout as sleep } from "node:timers/promises";
import type { Mongod } from "../../support/stores/mongod-set.ts";
import type { ClusterFault, Stage } from "./stage.ts";

export const busFaults: readonly ClusterFault[] = [
	...[1, 5, 30].map(
		(seconds): ClusterFault => ({
			name: `NATS killed, down ${seconds} s`,
			hits: "bus",
			happen: async ({ cluster: { nats }, scale }) => {
				await nats.kill();
				await sleep(seconds * 1_000 * scale);
				await nats.start();
			},
		}),
	),
	{
		name: "NATS frozen 3–20 s",
		hits: "bus",
		happen: async ({ cluster: { nats }, random, scale }) => {
			const ms = random.between(3_000, 20_000);
			await nats.freeze();
			await sleep(ms * scale);
			nats.thaw();
		},
	},
	{
		name: "NATS refuses the processes for 10 s",
		hits: "bus",
		happen: async ({ cluster: { nats }, scale }) => {
			await nats.kill();
			await nats.start({ user: "somebody", password: "else" });
			await sleep(10_000 * scale);
			await nats.kill();
			await nats.start();
		},
	},
];

export const storeFaults: readonly ClusterFault[] = [
	{
		name: "primary of the store killed",
		hits: "store",
		happen: (stage) =>
			withPrimary(stage, async (primary) => {
				await primary.kill();
				await sleep(stage.random.between(1_000, 8_000) * stage.scale);
				await primary.start();
			}),
	},
	{
		name: "primary of the store frozen 2–12 s",
		hits: "store",
		happen: (stage) =>
			withPrimary(stage, async (primary) => {
				const ms = stage.random.between(2_000, 12_000);
				primary.freeze();
				await sleep(ms * stage.scale);
				primary.thaw();
			}),
	},
	...[2, 30].map(
		(seconds): ClusterFault => ({
			name: `every server of the store killed, down ${seconds} s`,
			hits: "store",
			happen: async ({ cluster: { store }, scale }) => {
				await Promise.all(store.members.map((member) => member.kill()));
				await sleep(seconds * 1_000 * scale);
				await Promise.all(store.members.map((member) => member.start()));
				await store.whole();
			},
		}),
	),
	{
		name: "store slow: each answer of a core's takes 1 s longer",
		hits: "network",
		happen: async ({ cluster, random, scale }) => {
			const { store } = random.pick(cluster.membersOf("core")).network;
			const ms = random.between(2_000, 8_000);
			for (const proxy of store) proxy.delay(500);
			await sleep(ms * scale);
			for (const proxy of store) proxy.pass();
		},
	},
	{ name: "answers of the store lost", hits: "network", happen: answersLost },
];

/** The work is done, and the answer is cut off in its middle, several times. */
async function answersLost({ cluster, random }: Stage): Promise<void> {
	const { store } = random.pick(cluster.membersOf("core")).network;
	for (let round = 0; round < 5; round++) {
		for (const proxy of store) proxy.cutAfter(Math.ceil(random.between(1, 4_000)));
		await sleep(random.between(50, 500));
	}
	for (const proxy of store) proxy.pass();
}

/** The next fault meets a complete set again. */
async function withPrimary({ cluster: { store } }: Stage, fault: (primary: Mongod) => Promise<void>): Promise<void> {
	await fault(await store.primary());
	await store.whole();
}
