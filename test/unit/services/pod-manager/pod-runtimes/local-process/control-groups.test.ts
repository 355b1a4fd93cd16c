/** Long: it starts and kills session agents. */
import { expect } from "chai";
import { randomBytes, randomUUID } from "node:crypto";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Pod } from "#services/pod-manager/pod-runtime.ts";
import { LocalProcessRuntime } from "#services/pod-manager/pod-runtimes/local-process.ts";
import { ControlGroups } from "#services/pod-manager/pod-runtimes/local-process/control-groups.ts";
import { PodMarks } from "#services/pod-manager/pod-runtimes/local-process/pod-marks.ts";
import { startTimeOf } from "#shared/base/files/process-files.ts";
import { eventually } from "../../../../../support/eventually.ts";
import { type LocalPods, openLocalPods } from "../../../../../support/pods/local-pods.ts";
import { podSpecFor } from "../../../../../support/pods/memory-pods.ts";
import { processFile } from "../../../../../support/machine/process-file.ts";
import { groupNames, groupsOf, removeGroups } from "../../../../../support/pods/remove-groups.ts";

const probe = randomBytes(8).toString("hex");
const lacking = await new ControlGroups("auto", new PodMarks(probe, "key")).shortcoming();
const itWithGroups = lacking === undefined ? it : it.skip;
const where = lacking === undefined ? "" : " (skipped: no cgroup v2 group can be made on this machine)";

describe("Control groups of pods", function () {
	this.timeout(60_000);
	let pods: LocalPods;
	let id: string;
	const left: number[] = [];

	beforeEach(() => {
		pods = openLocalPods();
		id = randomUUID();
	});
	afterEach(async () => {
		await pods.close();
		for (const pid of left.splice(0)) if (startTimeOf(pid) !== undefined) process.kill(pid, "SIGKILL");
	});

	function inState(runtime: LocalProcessRuntime, state: Pod["state"]): Promise<Pod> {
		const probed = async () => (await runtime.find(id)).find((pod) => pod.state === state);
		return eventually(probed, { withinMs: 20_000, what: `a pod that is ${state}` });
	}

	/** Starts a pod with a process without its environment; resolves with the id of that process. */
	async function podThatHides(runtime: LocalProcessRuntime): Promise<number> {
		const file = join(pods.dataDir, "hidden");
		const hide = `env -i setsid sh -c 'echo $$ > ${file}; exec sleep 600' >/dev/null 2>&1 &`;
		await runtime.create(podSpecFor(id, 1, { setup_scripts: [hide] }));
		await inState(runtime, "ready");
		const pid = Number(await eventually(() => existsSync(file) && readFileSync(file, "utf8").trim()));
		left.push(pid);
		await eventually(() => processFile(pid, "cmdline").startsWith("sleep"));
		expect(processFile(pid, "environ")).not.to.contain("ATELIER");
		return pid;
	}

	/** Ends the pod as passes do. */
	async function end(runtime: LocalProcessRuntime): Promise<void> {
		const isGone = async () => {
			const [pod] = await runtime.find(id);
			if (pod && pod.state !== "gone") await runtime.end(pod, 10_000);
			return pod?.state === "gone";
		};
		await eventually(isGone, { withinMs: 20_000, what: "the pod is gone" });
	}

	itWithGroups(`end a process that clears its environment with its pod (M4)${where}`, async () => {
		const runtime = pods.runtime();
		const hidden = await podThatHides(runtime);
		expect(groupNames(pods.installation)).to.have.length(1);
		await end(runtime);
		expect(startTimeOf(hidden), "the process that hides").to.equal(undefined);
		expect(existsSync(groupsOf(pods.installation) ?? "")).to.equal(false);
	});

	itWithGroups(
		`are found again by another platform process, and removed when they are empty (M4)${where}`,
		async () => {
			const hidden = await podThatHides(pods.runtime());
			for (const pid of pods.processes()) process.kill(pid, "SIGKILL");
			const marks = new PodMarks(pods.installation, pods.options.markKey);
			const stale = marks.name({ sessionId: randomUUID(), generation: 4 });
			mkdirSync(join(groupsOf(pods.installation) ?? "", stale, "made-inside"), { recursive: true });
			const next = pods.runtime();
			await next.open();
			await eventually(() => !groupNames(pods.installation).includes(stale), { what: "the empty group is removed" });
			await inState(next, "failed");
			await end(next);
			await next.close();
			expect(startTimeOf(hidden), "the process that hides").to.equal(undefined);
			expect(existsSync(groupsOf(pods.installation) ?? "")).to.equal(false);
		},
	);

	itWithGroups(`believe no group that has no proof of this installation (M3)${where}`, async () => {
		const groups = new ControlGroups("auto", new PodMarks(probe, "key"));
		const launch = { sessionId: id, generation: 99 };
		const path = (marks: PodMarks) => `0::/x/atelier-${probe}/${marks.name(launch)}/inner\n`;
		expect(groups.launchOf(path(new PodMarks(probe, "key")))).to.deep.equal(launch);
		expect(groups.launchOf(path(new PodMarks(probe, "another key")))).to.equal(undefined);
		await removeGroups(probe);
	});

	it("are reported as missing, and such a process survives then (M4)", async () => {
		const runtime = new LocalProcessRuntime({ ...pods.options, groups: "none" });
		const [sentence] = await runtime.open();
		expect(sentence).to.contain("clears its environment");
		const hidden = await podThatHides(runtime);
		await end(runtime);
		expect(startTimeOf(hidden), "the process that hides").not.to.equal(undefined);
		expect(groupNames(pods.installation)).to.deep.equal([]);
	});

	it("are missing where the folder that is named is no control group", async () => {
		const runtime = new LocalProcessRuntime({ ...pods.options, groups: pods.dataDir });
		expect(await runtime.open()).to.have.length(1);
		await runtime.close();
		expect(() => new LocalProcessRuntime({ ...pods.options, groups: "maybe" })).to.throw(RangeError, '"auto", "none"');
	});
});
