/** A real API server of Kubernetes. Night: its program takes 5 to 15 minutes to build, and it forgets states after some minutes. */
import { expect } from "chai";
import { ApiError } from "#services/pod-manager/pod-runtimes/kubernetes/api/api-error.ts";
import type { KubeObject } from "#services/pod-manager/pod-runtimes/kubernetes/api/kube-object.ts";
import { WatchLoop } from "#services/pod-manager/pod-runtimes/kubernetes/watch/watch-loop.ts";
import { collectionSource } from "#services/pod-manager/pod-runtimes/kubernetes/watch/watch-source.ts";
import { eventually } from "../../support/eventually.ts";
import { KubeServer } from "../../support/kubernetes/kube-server.ts";
import { clusterApiContract } from "./cluster-api.contract.ts";

clusterApiContract("a real server", async () => {
	const server = await KubeServer.start();
	const client = await server.client();
	return {
		client,
		stranger: () => server.client("token-of-nobody"),
		async kill() {
			await server.killApi();
			return () => server.startApi();
		},
		async [Symbol.asyncDispose]() {
			client.close();
			await server[Symbol.asyncDispose]();
		},
	};
});

describe("A real API server that forgets its states after some minutes", function () {
	this.timeout(600_000);

	const maps = { version: "v1", plural: "configmaps", namespace: "sessions" };
	const nobodys = { labelSelector: "ours=yes" };

	it("refuses a list and a watch of them, and a loop that hears of no change goes on from bookmarks without a list", async () => {
		await using server = await KubeServer.start();
		const client = await server.client();
		const { resourceVersion } = await client.list(maps, () => 1, nobodys);
		const lists: string[] = [];
		const followed = collectionSource<KubeObject>(client, maps, nobodys.labelSelector);
		const loop = new WatchLoop<KubeObject, string>({
			source: {
				...followed,
				list(keep, version, signal) {
					lists.push(version?.match ?? "newest");
					return followed.list(keep, version, signal);
				},
			},
			kind: "configmaps",
			project: ({ metadata }) => metadata.name,
			onChange: () => {},
			// The server ends a watch after half a minute, so that the loop has to go on from a state several times.
			times: { watchMs: 30_000 },
		});
		const ending = new AbortController();
		const run = loop.run(ending.signal);
		try {
			let each = 0;
			await eventually(
				async () => {
					// The server remembers the changes of its last 75 s, and 100 of the time before.
					for (let more = 0; more < 5; more++)
						await client.create(maps, { apiVersion: "v1", kind: "ConfigMap", metadata: { name: `other-${each++}` } });
					const exact = { ...nobodys, version: { resourceVersion, match: "Exact" } } as const;
					if (!(await isForgotten(client.list(maps, () => 1, exact)))) return false;
					const trial = new AbortController();
					const watch = client.watch(maps, { resourceVersion, timeoutSeconds: 5 }, trial.signal);
					return isForgotten(watch).finally(() => trial.abort());
				},
				{ withinMs: 240_000, everyMs: 500 },
			);
			const from = performance.now();
			await eventually(() => loop.seenByteAt > from + 60_000, { withinMs: 180_000 });
			expect([lists, loop.isFresh, loop.trouble]).to.deep.equal([["newest"], true, undefined]);
		} finally {
			ending.abort();
			await run;
			client.close();
		}
	});
});

/** Whether a call is refused because the server has forgotten the state. */
async function isForgotten(call: Promise<unknown>): Promise<boolean> {
	const failure = await call.then(
		() => undefined,
		(error: unknown) => error,
	);
	return failure instanceof ApiError && failure.isExpired;
}
