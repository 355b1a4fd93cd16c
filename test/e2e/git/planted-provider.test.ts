/**
 * A fourth kind of git host is one folder, and beside it a row of the kinds and a definition for connections: they are
 * planted in a copy of the sources, which then serves it.
 */
import { expect } from "chai";
import { createHmac } from "node:crypto";
import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Evaluation } from "#shared/contracts/git/confidence.ts";
import type { Repository } from "#shared/contracts/git/repositories.ts";
import { copiedSources } from "../../support/copied-sources.ts";
import { startPlatform, type TestPlatform } from "../../support/platform/start-platform.ts";

const adapter = join(import.meta.dirname, "../../support/providers/planted/generic.ts");
const repo_url = "https://planted.example/acme/shop";
const secret = "the secret of the planted host";

/** Returns the root of sources that have the host. */
function plantedSources(): string {
	const root = copiedSources();
	const folder = join(root, "services/git/git-providers/generic");
	mkdirSync(folder);
	cpSync(adapter, join(folder, "generic.ts"));
	const hosts = join(root, "shared/base/git-hosts.ts");
	const row = '\tgeneric: { product: "Planted Hub", address: "the host" },\n';
	const text = readFileSync(hosts, "utf8");
	writeFileSync(
		hosts,
		text.replace("gitHosts = {\n", (start) => start + row),
	);
	const definition = {
		slug: "generic",
		name: "Planted Hub",
		description: "Repositories of Planted Hub",
		integration_type: "source_control",
		adapter: "generic",
		icon: "generic",
		credential_schema: { required: ["token"], properties: { token: { label: "Token", type: "password" } } },
		config_schema: { properties: { name: { label: "Name" }, base_url: { label: "URL", type: "url" } } },
	};
	writeFileSync(join(root, "config/integrations/generic.yaml"), JSON.stringify(definition));
	return root;
}

describe("a planted kind of git host", function () {
	this.timeout(120_000);
	let platform: TestPlatform;

	before(async () => {
		const git = { generic: { token: "the-token", orgs: ["acme"], webhook_secret: secret } };
		platform = await startPlatform({ root: plantedSources(), config: { git } });
	});
	after(() => platform?.[Symbol.asyncDispose]());

	/** Sends a message as the host does. */
	async function tell(state: string, key: string): Promise<number> {
		const updated_on = new Date(Date.now() + 1_000).toISOString();
		const pullrequest = { id: 7, state, updated_on };
		const body = JSON.stringify({ repository: { links: { html: { href: repo_url } } }, pullrequest });
		const headers = {
			"x-event-key": "pullrequest:fulfilled",
			"x-request-uuid": crypto.randomUUID(),
			"x-hub-signature": `sha256=${createHmac("sha256", key).update(body).digest("hex")}`,
		};
		return (await platform.client().post("/webhooks/generic", body, { headers })).status;
	}

	it("serves its repositories by the configuration", async () => {
		const { body } = await platform.client().get("/providers");
		expect(body).to.deep.equal([{ name: "generic", type: "generic", orgs: ["acme"] }]);
		const found = await platform.client().get<Repository[]>("/repos/generic/orgs/acme");
		expect(found.body.map(({ url }) => url)).to.deep.equal([repo_url]);
	});

	it("is connected to by people", async () => {
		const api = platform.client();
		await api.post("/credentials", { name: "mine", data: { token: "my-token" } });
		const wanted = { integration_type: "source_control", slug: "generic", credential_name: "mine", config: {} };
		const { body: made, text } = await api.post<{ id: string }>("/integrations", wanted);
		const tested = await api.post<{ success: boolean; user: string }>(`/integrations/${made.id}/test`, {});
		expect(tested.body, text).to.include({ success: true, user: "the owner of my-token" });
	});

	it("tells of merges by its own webhooks: by its signature, its headers and its events", async () => {
		const api = platform.client();
		const { body: evaluation, text } = await api.post<Evaluation>("/repos/confidence", { repo_url, number: 7 });
		expect(evaluation, text).to.include({ number: 7, head_sha: "a".repeat(40) });
		const outcome = async () => (await api.get<Evaluation>(`/repos/confidence/${evaluation.id}`)).body.outcome;
		const before = await outcome();
		expect(await tell("MERGED", "another secret")).to.equal(401);
		expect(await outcome()).to.deep.equal(before);
		expect(await tell("MERGED", secret)).to.equal(204);
		expect(await outcome()).to.include({ state: "merged" });
	});
});
