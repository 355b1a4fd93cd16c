/**
 * A pull request of a session in a container: the repository is cloned and pushed through the way out of the session, and the
 * person's token is left nowhere.
 * Night: it starts a Docker engine and builds the image of sessions.
 * Alone: a Docker engine changes the machine while it runs.
 */
import { expect } from "chai";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { PullRequestView } from "#shared/contracts/git/pulls.ts";
import { CompanyNetwork } from "../../support/containers/company-network.ts";
import { ContainedPlatform } from "../../support/containers/contained-platform.ts";
import { reachBy } from "../../support/machine/reachable-url.ts";
import { edit, say, turns } from "../../support/model-server/script.ts";
import { eventually } from "../../support/eventually.ts";
import { ask } from "../../support/platform/session-steps.ts";
import { GitHubStage } from "../../support/providers/github/github-stage.ts";
import { git } from "../../support/repositories/git-repository.ts";

describe("a pull request of a session in a container", function () {
	this.timeout(180_000);
	const all = new AsyncDisposableStack();
	let github: GitHubStage;
	let world: ContainedPlatform;

	before(async () => {
		const company = all.use(await CompanyNetwork.start());
		reachBy({ server: (loopback) => company.publish(loopback), folder: (path) => path });
		github = all.use(await GitHubStage.open());
		const config = { outbound: { allow: [github.fake.url] } };
		const script = turns({ turn: [edit("/session/workspace/engine.txt", "turn the key\n"), say("It turns.")] });
		const authority = company.authority.cert;
		const kwargs = { internal_hosts: company.addresses };
		world = all.use(await ContainedPlatform.start({ kwargs, authority, config, script }));
	});
	after(async () => {
		reachBy();
		await all.disposeAsync();
	});

	it("has what the agent wrote, and the token of the person is left nowhere", async () => {
		const { api } = world;
		await api.post("/credentials", { name: "github", secret_type: "api_key", data: { token: github.token } });
		const { text } = await api.post("/integrations", {
			slug: "github",
			integration_type: "source_control",
			adapter: "",
			credential_name: "github",
			config: { base_url: github.fake.apiUrl },
		});
		const source = { type: "git", repo: github.url, branch: "fix/engine", base_branch: "main" };
		const id = await world.running({ source });
		expect(await ask(api, id, "turn the key"), text).to.include("It turns.");
		const asked = { session_id: id, title: "Start the engine", target_branch: "main" };
		const pull = await api.post<PullRequestView>("/repos/prs", asked);
		expect(pull.status, pull.text).to.equal(201);
		expect(pull.body).to.include({ source_branch: "fix/engine", target_branch: "main", status: "open" });
		expect(github.repository.git.commitOf("fix/engine")).to.equal(pull.body.head_sha);
		expect(git(github.repository.git.path, ["show", "fix/engine:engine.txt"])).to.equal("turn the key\n");
		expect(github.fake.violations).to.deep.equal([]);
		expect(readdirSync(world.platform.workspace(id))).to.include("engine.txt");
		const left = ["sessions", "run"].flatMap((folder) => filesBelow(join(world.platform.dataDir, folder)));
		for (const file of left) expect(readFileSync(file, "latin1"), file).to.not.contain(github.token);
		const [name = ""] = world.containers(id);
		for (const told of ["inspect", "logs"])
			expect(world.engine.run("docker", told, name), told).to.not.contain(github.token);
	});

	it("is not reached by a session that has no way out, which says so", async () => {
		const { api } = world;
		const preset = { name: "no way out", workload_config: { egress: "none" } };
		const { body: made } = await api.post<{ id: string }>("/presets", preset);
		const id = await world.create({ preset_id: made.id, source: { type: "git", repo: github.url, branch: "main" } });
		const { error } = await eventually(
			async () => {
				const now = await world.session(id);
				return now.status === "failed" && now;
			},
			{ withinMs: 30_000, what: "the session fails" },
		);
		expect(error).to.include("403");
	});
});

function filesBelow(folder: string): string[] {
	const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
	return entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
}
