import { expect } from "chai";
import { StatusReports } from "#services/pod-manager/pod-runtimes/kubernetes/door/status-reports.ts";
import { label } from "#services/pod-manager/pod-runtimes/kubernetes/objects/cluster-names.ts";
import type { PodObject } from "#services/pod-manager/pod-runtimes/kubernetes/objects/pod-object.ts";
import { InstallationKey } from "#shared/base/secrets/keys.ts";
import { failureOf } from "../../../../../../support/failure-of.ts";
import { podShown, sessionId } from "../../../../../../support/kubernetes/pods/pod-objects.ts";

/** Returns the pod with the label of its workspace. */
function labelled({ metadata, ...pod }: PodObject): PodObject {
	return { ...pod, metadata: { ...metadata, labels: { ...metadata.labels, [label.workspace]: "workspace-of-pod" } } };
}

describe("StatusReports", () => {
	const key = new InstallationKey(Buffer.alloc(32, 1));
	const kept: string[] = [];
	const sizes: unknown[] = [];
	let isClaimThere = true;
	const reports = new StatusReports({
		podToken: (id, generation) => key.podToken(id, generation),
		podOf: async ({ generation }) => (generation === 1 ? labelled(podShown()) : undefined),
		keep: async (_pod, status) => kept.push(status) > 0,
		keepSize: async (workspaceId, size) => {
			if (!isClaimThere) throw new Error("The cluster does not answer");
			sizes.push([workspaceId, size]);
		},
	});
	const status = { phase: "ready", pid: 1, timings: {} };
	const take = (token: string, content: object = status) => reports.take(token, Buffer.from(JSON.stringify(content)));

	beforeEach(() => kept.splice(0));

	it("keep the size of a volume with the workspace that the pod's label names, once for each size, and not with the pod", async () => {
		const token = key.podToken(sessionId, 1);
		const measured = { bytes: 4_096 };
		isClaimThere = false;
		expect(await take(token, { ...status, measured })).to.equal(true);
		isClaimThere = true;
		for (let time = 0; time < 3; time++) await take(token, { ...status, measured });
		await take(token, { ...status, measured: { bytes: 0, partial: "time" } });
		expect(sizes).to.deep.equal([
			["workspace-of-pod", measured],
			["workspace-of-pod", { bytes: 0, partial: "time" }],
		]);
		expect(kept.map((one) => JSON.parse(one))).to.deep.equal(Array.from({ length: 5 }, () => status));
	});

	it("refuse a size that is none", async () => {
		const token = key.podToken(sessionId, 1);
		for (const measured of [{ bytes: -1 }, { bytes: 1e300 }, { bytes: "1" }, {}, { bytes: 1, partial: "all" }, 7]) {
			const content = Buffer.from(JSON.stringify({ ...status, measured }));
			expect(await failureOf(reports.take(token, content)), JSON.stringify(measured)).to.be.an.instanceOf(SyntaxError);
		}
	});

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
