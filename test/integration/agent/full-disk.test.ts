/** A session agent with a full disk goes on, and ends when it should, although it cannot record why. */
import { expect } from "chai";
import { join } from "node:path";
import { eventually } from "../../support/eventually.ts";
import { PlatformListener } from "../../support/platform/platform-listener.ts";
import { sessionProcesses } from "../../support/platform/session-processes.ts";
import { SmallDisk } from "../../support/hostile/small-disk.ts";
import { type TestPod, TestSession } from "../../support/pods/test-pod.ts";

const endsWithinMs = 30_000;

describe("a session agent on a full disk", function () {
	this.timeout(90_000);
	let disk: SmallDisk | undefined;
	let session: TestSession;

	beforeEach(function () {
		disk = SmallDisk.mount(32);
		session = new TestSession();
		if (disk) return;
		console.log("      NOT TRIED, no file system may be mounted here");
		this.skip();
	});

	afterEach(async () => {
		await session[Symbol.asyncDispose]();
		disk?.[Symbol.dispose]();
	});

	/** @param platform The platform's address; by default there is none. */
	function start(lifeline_ms: number, platform?: PlatformListener): Promise<TestPod> {
		const { folder = "" } = disk ?? {};
		const [status_file, state, workspace] = ["status.json", "state", "workspace"].map((name) => join(folder, name));
		if (!status_file || !state || !workspace) throw new RangeError("There are three paths");
		const to = platform && { platform_url: platform.url };
		return session.start({ status_file, state, workspace, lifeline_ms, ...to });
	}

	/** Checks that the pod ended in order, by itself, with everything that it has started. */
	async function expectEnd(pod: TestPod, exitCode: number): Promise<void> {
		await eventually(() => pod.hasEnded, { withinMs: endsWithinMs, what: "the pod has ended" });
		expect(await pod.ended(), pod.output).to.equal(exitCode);
		expect(sessionProcesses(session.installation)).to.deep.equal([]);
	}

	it("ends when the platform could not be reached for too long", async () => {
		await using platform = await PlatformListener.listen();
		platform.status = 503;
		// The pod learns that only after its disk is full.
		const answering = Promise.withResolvers<void>();
		platform.silence = answering.promise;
		const pod = await start(2_500, platform);
		disk?.fill();
		answering.resolve();
		await expectEnd(pod, 1);
	});

	it("ends when it is asked to, after it went on", async () => {
		const pod = await start(60_000);
		disk?.fill();
		expect((await pod.history()).is_active).to.equal(false);
		process.kill(pod.pid, "SIGTERM");
		await expectEnd(pod, 0);
	});
});
