/**
 * Git over ssh from a session in a container: the repository is cloned and pushed through the way out of the session, at a server whose
 * key is known, and every other server is refused.
 * Night: it starts a Docker engine and builds the image of sessions.
 * Alone: a Docker engine changes the machine while it runs.
 */
import { expect } from "chai";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CompanyNetwork } from "../../support/containers/company-network.ts";
import { ContainedPlatform } from "../../support/containers/contained-platform.ts";
import { eventually } from "../../support/eventually.ts";
import { ask } from "../../support/platform/session-steps.ts";
import { git, makeRepository } from "../../support/repositories/git-repository.ts";
import { GitSshServer } from "../../support/repositories/git-ssh-server.ts";

describe("git over ssh in a container", function () {
	this.timeout(240_000);
	const all = new AsyncDisposableStack();
	const folder = mkdtempSync(join(tmpdir(), "atelier-over-ssh-"));
	const repository = join(folder, "engine.git");
	let world: ContainedPlatform;
	/** Addresses of the same server: one that the operator names, another one that is named, and one that is not. */
	let [known, unknown, refused] = ["", "", ""];
	let ssh: GitSshServer;

	before(async () => {
		all.defer(() => rmSync(folder, { recursive: true, force: true }));
		makeRepository(join(folder, "first"));
		git(folder, ["clone", "--quiet", "--bare", "first", repository]);
		ssh = all.use(await GitSshServer.start());
		const company = all.use(await CompanyNetwork.start());
		for (const take of [(at: string) => (known = at), (at: string) => (unknown = at), (at: string) => (refused = at)])
			take(await company.publishSsh(ssh.port));
		world = all.use(await ContainedPlatform.start({ kwargs: { internal_hosts: [known, unknown] } }));
		const data = { private_key: ssh.user.privateKey, known_hosts: ssh.knownAs(known) };
		const { status, text } = await world.api.post("/credentials", { name: "deploy", secret_type: "ssh_key", data });
		expect(status, text).to.equal(201);
	});
	after(() => all.disposeAsync());

	const at = (host: string) => `ssh://git@${host}${repository}`;
	const source = (host: string) => ({ type: "git", repo: at(host), branch: "main" });
	const credentials = { credential_names: ["deploy"], model: "" };

	async function failure(more: object): Promise<string> {
		const id = await world.create({ ...credentials, ...more });
		const { error } = await eventually(
			async () => {
				const now = await world.session(id);
				return now.status === "failed" && now;
			},
			{ withinMs: 60_000, what: "the session fails" },
		);
		return error ?? "";
	}

	it("clones and pushes with the key of a credential", async () => {
		const id = await world.running({ source: source(known), ...credentials });
		const words =
			"echo turns > engine.txt && git add . && git commit -qm 'It turns' && git push -q origin HEAD:fix 2>&1";
		const answer = await ask(world.api, id, `$ ${words}; git ls-remote origin fix; uname -n; ls /sys/class/net`);
		expect(git(repository, ["show", "fix:engine.txt"]), answer).to.equal("turns\n");
		expect(answer)
			.to.include("refs/heads/fix")
			.and.to.match(/\nlo\n$/);
		expect((await world.session(id)).warnings).to.deep.equal([]);
	});

	it("goes to no server whose key is not known", async () => {
		expect(await failure({ source: source(unknown) })).to.match(/Host key verification failed.*known_hosts/);
	});

	it("goes to no server to which the way out does not lead, and the timeline says so", async () => {
		const id = await world.running({ source: source(known), ...credentials });
		const answer = await ask(
			world.api,
			id,
			`$ git ls-remote ${at(refused)} 2>&1; git ls-remote ${at(`${known}:2222`)} 2>&1`,
		);
		const sentences = [
			`The connection to ${refused}:22 was refused: its address is not a public one`,
			`The connection to ${known}:2222 was refused: sessions reach the ports 22, 80, 443 only`,
		];
		for (const sentence of sentences) expect(answer).to.include(sentence.replace("was refused", "is refused"));
		await eventually(async () => {
			const { text } = await world.api.get(`/chronicles/${id}/timeline`);
			return sentences.every((sentence) => text.includes(sentence));
		});
	});

	it("has no way out where the launch has none", async () => {
		const preset = { name: "no way out", workload_config: { egress: "none" } };
		const { body } = await world.api.post<{ id: string }>("/presets", preset);
		const said = await failure({ preset_id: body.id, source: source(known) });
		expect(said).to.include(`The connection to ${known}:22 is refused: this session may not reach any server`);
	});

	it("leads to the repositories of a restricted launch, and to no other server", async () => {
		const preset = { name: "repositories only", workload_config: { egress: "restricted" } };
		const { body } = await world.api.post<{ id: string }>("/presets", preset);
		const id = await world.running({ preset_id: body.id, source: source(known), ...credentials });
		const answer = await ask(world.api, id, `$ git ls-remote ${at(unknown)} 2>&1; git ls-remote origin main`);
		expect(answer).to.include(`${unknown}:22 is refused: neither the session's template nor its repositories`);
		expect(answer).to.include("refs/heads/main");
	});
});
