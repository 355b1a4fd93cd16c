import { expect } from "chai";
import { randomUUID } from "node:crypto";
import { PodRefused, podFailure } from "#services/pod-manager/pod-refused.ts";
import type { PodRuntime } from "#services/pod-manager/pod-runtime.ts";
import { Reconciler } from "#services/pod-manager/reconciliation/reconciler.ts";
import { eventually } from "../../../support/eventually.ts";
import { MemoryPods, podSpecFor } from "../../../support/pods/memory-pods.ts";
import { SessionDesk } from "../../../support/platform/session-gateway.ts";

describe("PodRefused", () => {
	const id = randomUUID();
	let desk: SessionDesk;
	let reconciler: Reconciler | undefined;

	beforeEach(() => {
		desk = new SessionDesk();
		desk.want(id, "run");
	});
	afterEach(() => reconciler?.stop());

	/** Returns the first observation in this phase. */
	function observed(runtime: PodRuntime, phase: string, log: string[] = []) {
		const specOf = () => podSpecFor(id, 1);
		reconciler = new Reconciler({ runtime, specOf }, desk, (sentence) => log.push(sentence));
		return eventually(() => desk.sessions.get(id)?.observed.find((one) => one.phase === phase), { withinMs: 3_000 });
	}

	for (const [final, phase, member] of [
		[true, "failed", "failure"],
		[false, "absent", "waiting"],
	] as const) {
		it(`is reported as ${member} by the creation of a pod when it is ${final ? "" : "not "}final`, async () => {
			class RefusingPods extends MemoryPods {
				override async create(): Promise<void> {
					throw new PodRefused("IMAGE_PULL_FAILED", "no such image", { final });
				}
			}
			const { failure, waiting } = await observed(new RefusingPods(), phase);
			const reason = podFailure("IMAGE_PULL_FAILED", "no such image");
			expect({ failure, waiting }).to.deep.equal({ failure: undefined, waiting: undefined, [member]: reason });
		});
	}

	it("tells the cause of a refusal to the operator alone", async () => {
		class FullPods extends MemoryPods {
			override async create(): Promise<void> {
				throw new PodRefused("DISK_FULL", undefined, { cause: new Error("mkdir /data/x") });
			}
		}
		const log: string[] = [];
		const { waiting } = await observed(new FullPods(), "absent", log);
		expect(waiting).to.deep.equal(podFailure("DISK_FULL"));
		expect(log.join()).to.include("mkdir /data/x");
	});

	it("tells why pods cannot be seen, and nothing that would end a session", async () => {
		class AwayPods extends MemoryPods {
			override async find(): Promise<never> {
				throw new PodRefused("ENGINE_UNREACHABLE");
			}
		}
		const { waiting } = await observed(new AwayPods(), "blocked");
		expect(waiting).to.deep.equal(podFailure("ENGINE_UNREACHABLE"));
	});
});
