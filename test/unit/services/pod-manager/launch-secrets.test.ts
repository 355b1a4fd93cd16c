import { expect } from "chai";
import { launchSecrets } from "#services/pod-manager/launch-secrets.ts";
import type { Claim } from "#shared/contracts/session-work.ts";
import { failureOf } from "../../../support/failure-of.ts";

const secrets = { variables: { A: "a" }, files: [], git_credentials: [], warnings: [] };
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

describe("launchSecrets()", () => {
	const asked: unknown[] = [];
	let answer: () => Promise<unknown>;
	const bus = {
		call<R>(action: string, params: unknown): Promise<R> {
			asked.push({ action, params });
			return answer() as Promise<R>;
		},
	};

	beforeEach(() => {
		asked.length = 0;
		answer = async () => secrets;
	});

	it("asks for what the session names, for its owner", async () => {
		expect(await launchSecrets(bus, claim, {})).to.deep.equal(secrets);
		const params = { tenant: "acme", owner: "alice", session_id: "session", credential_names: ["a", "b"] };
		expect(asked).to.deep.equal([{ action: "injection.prepare", params }]);
	});

	it("asks nobody for a session that names none, and for one that was stored before there were credentials", async () => {
		for (const launch of [{}, { credential_names: [] }, { credential_names: "a" }])
			expect(await launchSecrets(bus, { ...claim, launch }, {})).to.equal(undefined);
		expect(asked).to.deep.equal([]);
	});

	it("lets a later pass try again, three times, and then starts the session without them, with a warning", async () => {
		answer = () => Promise.reject(new Error("nobody answers"));
		for (const attempts of [1, 2, 3])
			expect(String(await failureOf(launchSecrets(bus, { ...claim, attempts }, {})))).to.contain("nobody answers");
		const without = await launchSecrets(bus, { ...claim, attempts: 4 }, {});
		expect(without?.variables).to.deep.equal({});
		expect(without?.warnings).to.deep.equal(["the credentials could not be prepared"]);
	});
});
