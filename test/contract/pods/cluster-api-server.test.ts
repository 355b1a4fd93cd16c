/** A real API server of Kubernetes. Night: its program takes 5 to 15 minutes to build, and it forgets states after some minutes. */
import { expect } from "chai";
import type { ApiClient } from "#shared/kubernetes/api/api-client.ts";
import { ApiError, refusalError } from "#shared/kubernetes/api/api-error.ts";
import type { KubeObject, WatchEvent } from "#shared/kubernetes/api/kube-object.ts";
import { watchEvents } from "#shared/kubernetes/watch/watch-lines.ts";
import { WatchLoop } from "#shared/kubernetes/watch/watch-loop.ts";
import { collectionSource } from "#shared/kubernetes/watch/watch-source.ts";
import { eventually } from "../../support/eventually.ts";
import { KubeServer } from "../../support/kubernetes/kube-server.ts";
import { clusterApiContract } from "./cluster-api.contract.ts";

/** A review of a token, or a token. */
interface Review {
	readonly status: {
		readonly token?: string;
		readonly authenticated?: boolean;
		readonly user?: { readonly username?: string };
	};
}

const maps = { version: "v1", plural: "configmaps", namespace: "sessions" };

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
					return isForgotten(firstEvent(client, resourceVersion));
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

describe("A real API server and the token of a service account", function () {
	this.timeout(120_000);

	it("says whose a token is, and for which audience, and refuses others without showing them", async () => {
		await using server = await KubeServer.start();
		const client = await server.client();
		const accounts = { version: "v1", plural: "serviceaccounts", namespace: "sessions" };
		const reviews = { group: "authentication.k8s.io", version: "v1", plural: "tokenreviews" };
		const review = (token: string): Promise<Review> => {
			const spec = { token, audiences: ["atelier-session"] };
			const body = { apiVersion: "authentication.k8s.io/v1", kind: "TokenReview", spec };
			return client.createPart<Review>(reviews, undefined, body, { secrets: [token] });
		};
		const tokenFor = async (audience: string): Promise<string> => {
			const spec = { audiences: [audience], expirationSeconds: 600 };
			const body = { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec };
			return (await client.createPart<Review>(accounts, "default", body, { part: "token" })).status.token ?? "";
		};
		try {
			const { status } = await review(await tokenFor("atelier-session"));
			expect([status.authenticated, status.user?.username]).to.deep.equal([
				true,
				"system:serviceaccount:sessions:default",
			]);
			for (const token of [await tokenFor("atelier-proxy"), "no-token-at-all"])
				expect((await review(token)).status.authenticated).to.not.equal(true);
			const account = server.accountClient(await tokenFor("https://kubernetes.default.svc"));
			const loop = new WatchLoop<KubeObject, string>({
				source: collectionSource(account, maps),
				kind: "configmaps",
				project: ({ metadata }) => metadata.name,
				onChange: () => {},
			});
			const ending = new AbortController();
			const run = loop.run(ending.signal);
			await eventually(() => loop.trouble !== undefined);
			expect(loop.trouble).to.match(
				/^The platform lacks the right to list configmaps in the namespace "sessions": configmaps is forbidden: User/,
			);
			ending.abort();
			await run;
			account.close();
		} finally {
			client.close();
		}
	});
});

/** Resolves to the first event of a watch of the maps. @throws {ApiError} for an answer, or a first event, that is an error. */
async function firstEvent(client: ApiClient, resourceVersion: string): Promise<WatchEvent | undefined> {
	const ending = new AbortController();
	try {
		const chunks = await client.watch(maps, { resourceVersion, timeoutSeconds: 5 }, ending.signal);
		for await (const event of watchEvents(chunks, () => {})) {
			// The server refuses a state that it has forgotten in an event: it has answered 200 by then.
			if (event.type === "ERROR") throw refusalError({ body: event.object });
			return event;
		}
		return undefined;
	} finally {
		ending.abort();
	}
}

/** Whether a call is refused because the server has forgotten the state. */
async function isForgotten(call: Promise<unknown>): Promise<boolean> {
	const failure = await call.then(
		() => undefined,
		(error: unknown) => error,
	);
	return failure instanceof ApiError && failure.isExpired;
}
