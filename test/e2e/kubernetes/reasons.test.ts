/**
 * Reasons for which a session in a pod of a real cluster does not start, as a person reads them, and its way on when they are gone.
 * Night: the programs of a cluster take 5 to 15 minutes to build, and some reasons are told after a minute.
 * Alone: it measures times.
 */
import { expect } from "chai";
import { clusterImage } from "../../support/kubernetes/cluster/cluster-images.ts";
import { ClusterBench } from "../../support/kubernetes/cluster/cluster-bench.ts";
import { onOwnMachine } from "../../support/kubernetes/cluster/own-machine.ts";
import { SlowRegistry } from "../../support/kubernetes/images/slow-registry.ts";

onOwnMachine(import.meta.filename, 1_800_000, () => {
	describe("a session of a cluster that cannot start", function () {
		this.timeout(300_000);
		const all = new AsyncDisposableStack();
		let bench: ClusterBench;
		let registry: SlowRegistry;
		let atFirst: string[];

		before(async () => {
			registry = all.use(await SlowRegistry.start());
			const kwargs = { images: ["*"], own_images: [registry.image("2")], max_processors: 1_000 };
			bench = all.use(await ClusterBench.start({ kwargs }));
			atFirst = await bench.objects();
		});
		after(() => all.disposeAsync());

		it("has the registry's words for an image that is not there, and starts when it has come", async () => {
			const since = performance.now();
			const id = await bench.create({ workload_config: { image: registry.image("2") } });
			const told = await bench.seen(id, ["IMAGE_PULL_FAILED"], since);
			bench.row("image that does not exist", told);
			expect(told.message).to.match(/others\/slow:2.*not found/);
			const come = performance.now();
			await bench.cluster.containerd("images", "tag", clusterImage.session, registry.image("2"));
			bench.row("… and then does", await bench.seen(id, ["POD_READY"], come));
			await bench.leavesOnly(atFirst, id);
		});

		it("has the scheduler's words when it asks for more processors than a machine has", async () => {
			const since = performance.now();
			const id = await bench.create({ resource_config: { cpu: "400" } });
			const told = await bench.seen(id, ["UNSCHEDULABLE"], since);
			bench.row("400 processors", told);
			expect(told.message).to.include("Insufficient cpu");
			await bench.leavesOnly(atFirst, id);
		});
	});
});
