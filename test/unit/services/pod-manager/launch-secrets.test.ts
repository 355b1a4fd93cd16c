import { expect } from "chai";
import { connectedPeople, launchSecrets, renewedSecrets } from "#services/pod-manager/launch-secrets.ts";
import type { LaunchMapping } from "#shared/contracts/credentials/launch-mapping.ts";
import type { Claim } from "#shared/contracts/sessions/session-work.ts";
import { failureOf } from "../../../support/failure-of.ts";

const secrets = { variables: { A: "a" }, files: [], git_credentials: [], warnings: ["from the credentials"] };
const claim: Claim = {
	id: "session",
	tenant: "acme",
	owner: "alice",
	generation: 1,
	desired: "run",
	fence: 1,
	launch: { credential_names: ["a", "b"] },
	attempts: 1,
	workspace: "session",
};
const mapping: LaunchMapping = {
	source: 'integration "github"',
	credential_name: "gh",
	variables: { GITHUB_TOKEN: "token" },
	files: {},
	git_hosts: [],
	mcp_servers: [],
};

describe("launchSecrets()", () => {
	const asked: { action: string; params: unknown }[] = [];
	let prepared: () => Promise<unknown>;
	let connected: () => Promise<unknown>;
	const bus = {
		call<R>(action: string, params: unknown): Promise<R> {
			asked.push({ action, params });
			return (action === "connections.launch" ? connected() : prepared()) as Promise<R>;
		},
	};

	beforeEach(() => {
		asked.length = 0;
		prepared = async () => secrets;
		connected = async () => ({ mappings: [], warnings: [] });
	});

	it("asks for what the session names, and for its owner's connections, for the owner", async () => {
		connected = async () => ({ mappings: [mapping], warnings: ["from the connections"] });
		const repositories = [{ url: "https://github.com/ada/tool" }, { url: 7 }, "x", null];
		const launch = { credential_names: ["a"], integration_ids: ["i"], repositories };
		const got = await launchSecrets(bus, { ...claim, launch }, {});
		expect(got).to.deep.equal({ ...secrets, warnings: ["from the connections", "from the credentials"] });
		const person = { tenant: "acme", owner: "alice", session_id: "session" };
		expect(asked).to.deep.equal([
			{
				action: "connections.launch",
				params: { ...person, integration_ids: ["i"], repositories: ["https://github.com/ada/tool"] },
			},
			{
				action: "injection.prepare",
				params: { ...person, credential_names: ["a"], tenant_credentials: [], mappings: [mapping] },
			},
		]);
	});

	it("prepares nothing for a session without any", async () => {
		for (const launch of [{}, { credential_names: [] }, { credential_names: "a" }])
			expect(await launchSecrets(bus, { ...claim, launch }, {})).to.equal(undefined);
		expect(asked.map(({ action }) => action)).not.to.contain("injection.prepare");
	});

	it("lets a later pass try again, three times, and then starts the session without them, with a warning", async () => {
		prepared = () => Promise.reject(new Error("nobody answers"));
		for (const attempts of [1, 2, 3])
			expect(String(await failureOf(launchSecrets(bus, { ...claim, attempts }, {})))).to.contain("nobody answers");
		const without = await launchSecrets(bus, { ...claim, attempts: 4 }, {});
		expect(without?.variables).to.deep.equal({});
		expect(without?.warnings).to.deep.equal(["the credentials could not be prepared"]);
	});

	it("waits for connections that the session names, and for no others", async () => {
		connected = () => Promise.reject(new Error("nobody answers"));
		const launch = { integration_ids: ["i"] };
		expect(String(await failureOf(launchSecrets(bus, { ...claim, launch }, {})))).to.contain("nobody answers");
		for (const last of [
			{ ...claim, launch, attempts: 4 },
			{ ...claim, launch: {} },
		]) {
			const warned = await launchSecrets(bus, last, {});
			expect(warned?.warnings).to.deep.equal(["the connections of the owner could not be read", ...secrets.warnings]);
		}
	});

	it("are renewed for sessions with connections, and once more when the last connection is gone", async () => {
		expect(await renewedSecrets(bus, claim, {}, false), "only tokens of connections change").to.equal(undefined);
		expect(asked.map(({ action }) => action)).to.deep.equal(["connections.launch"]);
		expect(await renewedSecrets(bus, claim, {}, true)).to.deep.equal(secrets);
		const person = { tenant: "acme", owner: "alice", session_id: "session" };
		expect(asked.at(-1)?.params).to.deep.equal({
			...person,
			credential_names: ["a", "b"],
			tenant_credentials: [],
			mappings: [],
		});
	});

	it("can change for people with connections only, who are asked about a hundred at a time", async () => {
		const people = Array.from({ length: 150 }, (_, n) => ({ ...claim, owner: `person-${n}` }));
		const answers = [[{ tenant: "acme", owner: "person-7" }], [{ tenant: "acme", owner: "person-149" }]];
		const questions: unknown[] = [];
		const asking = {
			async call<R>(_action: string, params: unknown): Promise<R> {
				questions.push(params);
				return answers[questions.length - 1] as R;
			},
		};
		expect(await connectedPeople(asking, people, {})).to.deep.equal(answers.flat());
		const named = people.map(({ tenant, owner }) => ({ tenant, owner }));
		expect(questions).to.deep.equal([{ people: named.slice(0, 100) }, { people: named.slice(100) }]);
	});
});
