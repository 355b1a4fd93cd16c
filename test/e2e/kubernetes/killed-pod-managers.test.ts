/**
 * A pod manager of a cluster is killed with SIGKILL between any two of its steps, while the other one is frozen: a session never has two
 * pods, reaches what its owner wants, and leaves nothing behind. Everything is real but machines, containers and session agents.
 * Night: after each kill a session waits for the end of a lease of 15 s.
 */
import { expect } from "chai";
import { eventually } from "../../support/eventually.ts";
import { PodLives } from "../../support/kubernetes/simulated/pod-lives.ts";
import { SimulatedPlatform } from "../../support/kubernetes/simulated/simulated-platform.ts";
import { convergedMs, deleted, leavesNothing } from "../../support/kubernetes/simulated/simulated-sessions.ts";
import { createSession, sessionReaches } from "../../support/platform/session-steps.ts";

const points = [
	"pod-manager.claimed",
	"pod-manager.looked",
	"pod-manager.before-create",
	"kubernetes.before-create",
	"kubernetes.account-made",
	"kubernetes.claim-made",
	"kubernetes.after-create",
	"pod-manager.after-create",
	"pod-manager.before-observe",
	"kubernetes.pod-ended",
	"kubernetes.account-removed",
	"kubernetes.pod-deleted",
	"kubernetes.pod-released",
	"kubernetes.claim-removed",
] as const;

describe("killed pod managers of a cluster", function () {
	this.timeout(400_000);
	let bench: SimulatedPlatform;
	let lives: PodLives;

	before(async () => {
		bench = await SimulatedPlatform.start();
		lives = new PodLives(bench.cluster.admin);
	});
	afterEach(function () {
		if (this.currentTest?.state !== "failed") return;
		console.log(this.currentTest.err?.message);
		for (const { name, output } of bench.managers) console.log(name, output.split("\n").slice(-15).join("\n"));
	});
	after(async () => {
		await lives?.[Symbol.asyncDispose]();
		await bench?.[Symbol.asyncDispose]();
	});

	for (const point of points)
		it(`a session lives and ends as it should, killed at ${point}`, async () => {
			const [dying, other] = bench.managers;
			if (!dying || !other) throw new Error("There are two pod managers");
			await dying.kill();
			await dying.start({ ATELIER_FAILPOINTS: `${point}=kill` });
			await other.freeze();
			const api = bench.clientOf(0);
			const { id } = await createSession(api);
			const dies = () =>
				eventually(() => dying.process.hasEnded, { withinMs: convergedMs, what: `it dies at ${point}` });
			const isRunning = async () => (await api.get<{ status: string }>(`/sessions/${id}`)).body.status === "running";
			await eventually(async () => dying.process.hasEnded || (await isRunning()), { withinMs: convergedMs });
			if (dying.process.hasEnded) other.thaw();
			await sessionReaches(api, id, "running", convergedMs);
			await deleted(bench, id);
			const gone = leavesNothing(bench, [id]);
			await dies();
			other.thaw();
			await gone;
			expect(lives.uids.get(id)?.size, "the pods that it had").to.equal(1);
			expect([...lives.doubled]).to.deep.equal([]);
		});
});
