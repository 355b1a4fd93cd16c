import { expect } from "chai";
import { StatusReports } from "#services/pod-manager/pod-runtimes/kubernetes/door/status-reports.ts";
import { label } from "#services/pod-manager/pod-runtimes/kubernetes/objects/cluster-names.ts";
import type { PodObject } from "#services/pod-manager/pod-runtimes/kubernetes/objects/pod-object.ts";
import type { KeptStatus } from "#services/pod-manager/pod-runtimes/kubernetes/objects/session-objects.ts";
import { reportNumberOf, withReport } from "#services/pod-manager/pod-runtimes/kubernetes/objects/status-annotation.ts";
import { InstallationKey } from "#shared/base/secrets/keys.ts";
import { failureOf } from "../../../../../../support/failure-of.ts";
import { podShown, sessionId } from "../../../../../../support/kubernetes/pods/pod-objects.ts";

/** Returns the pod with the label of its workspace. */
function labelled({ metadata, ...pod }: PodObject): PodObject {
	return { ...pod, metadata: { ...metadata, labels: { ...metadata.labels, [label.workspace]: "workspace-of-pod" } } };
}

describe("StatusReports", () => {
	const key = new InstallationKey(Buffer.alloc(32, 1));
	const { signal } = new AbortController();
	const kept: string[] = [];
	const sizes: unknown[] = [];
	let isClaimThere = true;
	const reports = new StatusReports({
		podToken: (id, generation) => key.podToken(id, generation),
		podOf: async ({ generation }) => (generation === 1 ? labelled(podShown()) : undefined),
		keep: async (_pod, status) => {
			kept.push(status);
			return "kept";
		},
		keepSize: async (workspaceId, size) => {
			if (!isClaimThere) throw new Error("The cluster does not answer");
			sizes.push([workspaceId, size]);
		},
	});
	const status = { phase: "ready", pid: 1, timings: {} };
	const take = (token: string, content: object = status) =>
		reports.take(token, Buffer.from(JSON.stringify(content)), signal);

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
			expect(await failureOf(reports.take(token, content, signal)), JSON.stringify(measured)).to.be.an.instanceOf(
				SyntaxError,
			);
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
		const wrong = [0, -1, 0.5, 1e300].map((number) => JSON.stringify({ ...status, number }));
		for (const content of ["{", "[]", "7", '{"phase":"flying"}', ...wrong])
			expect(await failureOf(reports.take(token, Buffer.from(content), signal)), content).to.be.an.instanceOf(
				SyntaxError,
			);
	});
});

describe("StatusReports of agents that number their statuses", () => {
	const key = new InstallationKey(Buffer.alloc(32, 1));
	const token = key.podToken(sessionId, 1);
	/** The pod as the cluster has it, and as a watch has shown it. */
	let [now, shown] = [podShown(), podShown()];
	let writes: number;
	let sizes: number;
	let reports: StatusReports;
	/** Runs before a write arrives. */
	let meanwhile: () => void;

	beforeEach(() => {
		now = labelled(podShown());
		shown = now;
		[writes, sizes] = [0, 0];
		meanwhile = () => {};
		reports = new StatusReports({
			podToken: (id, generation) => key.podToken(id, generation),
			podOf: async () => shown,
			async keep(pod, text): Promise<KeptStatus> {
				writes++;
				meanwhile();
				if (reportNumberOf(pod) !== reportNumberOf(now)) return now;
				now = withReport(now, text);
				return "kept";
			},
			keepSize: async () => {
				sizes++;
			},
		});
	});

	function take(number: number | undefined, more: object = {}): Promise<boolean> {
		const status = { phase: "cloning", pid: 1, timings: {}, ...(number !== undefined && { number }), ...more };
		return reports.take(token, Buffer.from(JSON.stringify(status)), new AbortController().signal);
	}

	it("keep each with one write, also before the cluster has told the one before", async () => {
		for (let number = 1; number <= 5; number++) expect(await take(number)).to.equal(true);
		expect([writes, reportNumberOf(now)]).to.deep.equal([5, 5]);
	});

	it("drop an earlier one that arrives late, and its size", async () => {
		await take(2);
		expect(await take(1, { measured: { bytes: 1 } })).to.equal(true);
		expect([writes, sizes, reportNumberOf(now)]).to.deep.equal([1, 0, 2]);
	});

	it("drop an earlier one that was under way when another process kept a later one", async () => {
		meanwhile = () => {
			now = withReport(now, '{"number":9}');
			meanwhile = () => {};
		};
		expect(await take(8)).to.equal(true);
		expect([writes, reportNumberOf(now)]).to.deep.equal([1, 9]);
	});

	it("try a later one again when another process has kept an earlier one meanwhile", async () => {
		meanwhile = () => {
			now = withReport(now, '{"number":3}');
			meanwhile = () => {};
		};
		expect(await take(8)).to.equal(true);
		expect([writes, reportNumberOf(now)]).to.deep.equal([2, 8]);
	});

	it("keep the size of one that comes again because its answer was lost, without another write", async () => {
		await take(1, { measured: { bytes: 1 } });
		shown = now;
		expect(await take(1, { measured: { bytes: 2 } })).to.equal(true);
		expect([writes, sizes]).to.deep.equal([1, 2]);
	});

	it("give up a pod that changes all the time", async () => {
		let number = 0;
		meanwhile = () => {
			now = withReport(now, `{"number":${++number}}`);
		};
		expect((await failureOf<Error>(take(100))).message).to.equal("Its pod changes all the time");
		expect(writes).to.equal(4);
	});

	it("keep the last one of an agent that numbers none", async () => {
		await take(undefined, { phase: "starting" });
		await take(undefined, { phase: "ready" });
		expect(now.metadata.annotations?.["atelier.dev/status"]).to.contain("ready");
	});
});
