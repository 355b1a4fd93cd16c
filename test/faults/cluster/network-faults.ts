/** One process cannot reach the bus or the store, while all others can: its proxies refuse, are silent, or pass one way only. */
import { setTimeout as sleep } from "node:timers/promises";
import type { TcpProxy } from "../../support/machine/tcp-proxy.ts";
import type { ClusterFault } from "./stage.ts";

const cuts: readonly { readonly how: string; readonly cut: (proxy: TcpProxy) => void }[] = [
	{ how: "refused", cut: (proxy) => proxy.refuse() },
	{ how: "silent", cut: (proxy) => proxy.swallow() },
	{ how: "silent one way, requests lost", cut: (proxy) => proxy.swallow(["up"]) },
	{ how: "silent one way, answers lost", cut: (proxy) => proxy.swallow(["down"]) },
	{ how: "held, everything arrives late", cut: (proxy) => proxy.hold() },
];

export const networkFaults: readonly ClusterFault[] = cuts.flatMap(({ how, cut }): ClusterFault[] => [
	{
		name: `a process cut off from the bus (${how})`,
		hits: "network",
		happen: async ({ cluster, random, scale }) => {
			const { bus } = random.pick(cluster.members).network;
			await during([bus], cut, random.between(2_000, 10_000) * scale);
		},
	},
	{
		name: `a core cut off from the store (${how})`,
		hits: "network",
		happen: async ({ cluster, random, scale }) => {
			const { store } = random.pick(cluster.membersOf("core")).network;
			await during(store, cut, random.between(2_000, 10_000) * scale);
		},
	},
]);

async function during(proxies: readonly TcpProxy[], cut: (proxy: TcpProxy) => void, ms: number): Promise<void> {
	for (const proxy of proxies) cut(proxy);
	await sleep(ms);
	for (const proxy of proxies) proxy.pass();
}
