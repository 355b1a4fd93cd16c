/**
 * Suites of the platform that know nothing of its runtime, unchanged, with sessions as pods of a real cluster: as many tests pass as with
 * sessions that run as processes of this machine.
 * Night: each suite runs twice, once with a cluster, which takes minutes.
 */
import { expect } from "chai";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { MochaProcess } from "../../mocha-process.ts";
import { makeCertificate } from "../../support/bus/test-certificates.ts";
import { clusterImage, savedImages } from "../../support/kubernetes/cluster/cluster-images.ts";
import { deriveImage } from "../../support/kubernetes/cluster/derived-image.ts";
import { KubeCluster } from "../../support/kubernetes/cluster/kube-cluster.ts";
import { onOwnMachine } from "../../support/kubernetes/cluster/own-machine.ts";

const suites = [
	"api/aliases",
	"api/conformance",
	"api/first-session",
	"api/lists",
	"api/settings",
	"archive/backup",
	"blueprints/profiles",
	"blueprints/prompts",
	"books/budget",
	"git/confidence",
	"git/repositories",
	"pat/tokens",
	"security/access-proof",
	"security/tenancy",
	"sessions/pull-request",
].map((name) => `test/e2e/${name}.test.ts`);

/** The certificates that programs of the image trust. */
const bundle = "etc/ssl/certs/ca-certificates.crt";
/** Loaded before the tests. */
const preload = "./test/support/kubernetes/cluster/clustered-platforms.ts";

onOwnMachine(import.meta.filename, 3_600_000, () => {
	describe("the suites of the platform, with pods", function () {
		this.timeout(1_800_000);
		const all = new AsyncDisposableStack();

		before(async () => {
			const cluster = all.use(await KubeCluster.start());
			await cluster.makeNamespaces();
			for (const archive of await savedImages("session")) await cluster.load(archive);
			const folder = mkdtempSync(join(tmpdir(), "atelier-authority-"));
			all.defer(() => rmSync(folder, { recursive: true, force: true }));
			const authority = makeCertificate(folder, "company");
			makeCertificate(folder, "server", authority, [cluster.address]);
			const image = await deriveImage(cluster, clusterImage.session, {
				name: "docker.io/company/session:1",
				file: [authority.cert, bundle],
				env: { NODE_EXTRA_CA_CERTS: `/${bundle}` },
			});
			Object.assign(process.env, {
				ATELIER_TEST_KUBECONFIG: cluster.kubeconfig,
				ATELIER_TEST_IMAGE: image,
				ATELIER_TEST_AUTHORITY: folder,
			});
		});
		after(() => all.disposeAsync());

		for (const suite of suites)
			it(`${suite} passes with as many tests`, async () => {
				const { passing, failing, pending } = await new MochaProcess([suite]).ended();
				const clustered = new MochaProcess([suite], ["--import", preload]);
				const outcome = await clustered.ended();
				console.log(`      ${passing} with processes, ${outcome.passing} with pods`);
				expect(failing, "with processes").to.equal(0);
				expect(clustered.output).to.include("with pods");
				expect(outcome, clustered.ending).to.deep.equal({ passing, failing: 0, pending });
			});
	});
});
