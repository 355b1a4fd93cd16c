/** The server in memory behaves as a cluster's API does, so that what is tested with it holds. */
import { CallPace } from "#shared/kubernetes/api/call-pace.ts";
import { FakeApi } from "../../support/kubernetes/fake-api.ts";
import { clientOf } from "../../support/kubernetes/fake-api-client.ts";
import { clusterApiContract } from "./cluster-api.contract.ts";

clusterApiContract("a cluster in memory", async () => {
	const api = await FakeApi.start();
	const { client } = clientOf(api, new CallPace({ perSecond: 2_000, burst: 2_000 }));
	return {
		client,
		async stranger() {
			const { client: other, access } = clientOf(api);
			access.tokens = ["token-of-nobody"];
			return other;
		},
		async kill() {
			const { port } = api;
			await api.stop();
			api.cluster.compact();
			return () => api.listen(port);
		},
		async [Symbol.asyncDispose]() {
			client.close();
			await api[Symbol.asyncDispose]();
		},
	};
});
