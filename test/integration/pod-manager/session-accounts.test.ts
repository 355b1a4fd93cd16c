/** The accounts of sessions against an API in memory. */
import { expect } from "chai";
import { label, objectName } from "#services/pod-manager/pod-runtimes/kubernetes/objects/cluster-names.ts";
import { SessionObjects } from "#services/pod-manager/pod-runtimes/kubernetes/objects/session-objects.ts";
import type { ApiClient } from "#shared/kubernetes/api/api-client.ts";
import { FakeApi } from "../../support/kubernetes/fake-api.ts";
import { clientOf } from "../../support/kubernetes/fake-api-client.ts";
import { podPlan } from "../../support/kubernetes/pods/pod-plan.ts";

const accounts = "/api/v1/namespaces/sessions/serviceaccounts";
const plan = podPlan();
const name = objectName(plan);

describe("SessionObjects and accounts", () => {
	let api: FakeApi;
	let client: ApiClient;
	let objects: SessionObjects;

	beforeEach(async () => {
		api = await FakeApi.start();
		({ client } = clientOf(api));
		objects = new SessionObjects(client, "sessions", plan.installation);
	});
	afterEach(async () => {
		client.close();
		await api[Symbol.asyncDispose]();
	});

	const names = (): string[] => api.cluster.list(accounts).map(({ metadata }) => metadata.name);

	it("remove an account, and neither one of somebody else nor another one that gets its name meanwhile", async () => {
		await objects.make(plan);
		const own = api.cluster.get(accounts, name);
		const replaceAccount = (labels: Record<string, string>) => {
			api.cluster.delete(accounts, name);
			api.cluster.create(accounts, { apiVersion: "v1", kind: "ServiceAccount", metadata: { name, labels } });
		};
		replaceAccount({ [label.installation]: "another" });
		await objects.removeAccount(name);
		expect(names()).to.deep.equal([name]);
		replaceAccount(own.metadata.labels ?? {});
		const get = client.get.bind(client);
		client.get = async (...call) => {
			const found = await get<never>(...call);
			client.get = get;
			replaceAccount(own.metadata.labels ?? {});
			return found;
		};
		await objects.removeAccount(name);
		expect(names()).to.deep.equal([name]);
		await objects.removeAccount(name);
		await objects.removeAccount(name);
		expect(names()).to.deep.equal([]);
	});

	it("remove no account of another session that somebody has given the label of this one", async () => {
		const otherId = "4f0c1111-2222-4333-8444-555566667777";
		await objects.make(podPlan({ sessionId: otherId, workspaceId: otherId }));
		const [account] = api.cluster.list(accounts);
		if (!account) throw new Error("There is no account");
		const labels = { ...account.metadata.labels, [label.session]: plan.sessionId };
		api.cluster.replace(accounts, account.metadata.name, { ...account, metadata: { ...account.metadata, labels } });
		expect(await objects.launches(plan.sessionId)).to.deep.equal([]);
	});

	it("are listed whatever somebody has filled them with", async () => {
		await objects.make(plan);
		const account = api.cluster.get(accounts, name);
		const annotations = { filling: "x".repeat(40_000) };
		api.cluster.replace(accounts, name, { ...account, metadata: { ...account.metadata, annotations } });
		const bounded = clientOf(api, undefined, 20_000).client;
		const listed = await new SessionObjects(bounded, "sessions", plan.installation).launches();
		bounded.close();
		expect(listed).to.deep.equal([{ sessionId: plan.sessionId, generation: plan.generation }]);
		expect(api.calls.at(-1)).to.include("includeObject=None");
	});
});
