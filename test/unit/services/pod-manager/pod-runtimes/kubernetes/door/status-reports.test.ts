import { expect } from "chai";
import { StatusReports } from "#services/pod-manager/pod-runtimes/kubernetes/door/status-reports.ts";
import { InstallationKey } from "#shared/base/secrets/keys.ts";
import { failureOf } from "../../../../../../support/failure-of.ts";
import { podShown, sessionId } from "../../../../../../support/kubernetes/pod-objects.ts";

describe("StatusReports", () => {
	const key = new InstallationKey(Buffer.alloc(32, 1));
	const kept: string[] = [];
	const reports = new StatusReports({
		podToken: (id, generation) => key.podToken(id, generation),
		podOf: async ({ generation }) => (generation === 1 ? podShown() : undefined),
		keep: async (_pod, status) => kept.push(status) > 0,
	});
	const status = { phase: "ready", pid: 1, timings: {} };
	const take = (token: string, content: object = status) => reports.take(token, Buffer.from(JSON.stringify(content)));

	beforeEach(() => kept.splice(0));

	it("keep the status of the launch that a token was made for, without members that are not known", async () => {
		expect(await take(key.podToken(sessionId, 1), { ...status, nonsense: true })).to.equal(true);
		expect(kept.map((one) => JSON.parse(one))).to.deep.equal([status]);
	});

	it("refuse the token of a launch that has no pod, and tokens that the installation has not made", async () => {
		const right = key.podToken(sessionId, 1);
		const other = new InstallationKey(Buffer.alloc(32, 2)).podToken(sessionId, 1);
		const swapped = right.replace(`${sessionId}_1_`, `${sessionId}_2_`);
		for (const token of [key.podToken(sessionId, 2), other, swapped, right.slice(0, -1), "svcs_", ""])
			expect(await take(token), token).to.equal(false);
		expect(kept).to.deep.equal([]);
	});

	it("refuse what is no status", async () => {
		const token = key.podToken(sessionId, 1);
		for (const content of ["{", "[]", "7", '{"phase":"flying"}'])
			expect(await failureOf(reports.take(token, Buffer.from(content))), content).to.be.an.instanceOf(SyntaxError);
	});
});
