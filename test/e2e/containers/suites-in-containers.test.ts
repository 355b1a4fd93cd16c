/**
 * Suites of the platform that know nothing of its runtime, unchanged, with sessions in containers: as many tests pass as with sessions
 * that run as processes of this machine.
 * Night: each suite runs twice, once with a Docker engine, which takes minutes.
 * Alone: a Docker engine changes the machine while it runs.
 */
import { expect } from "chai";
import { MochaProcess } from "../../mocha-process.ts";
import { buildSessionImage } from "../../support/containers/session-image.ts";
import { DockerEngine } from "../../support/installations/docker-engine.ts";

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

/** Loaded before the tests. Needs: docker-engine. */
const preload = "./test/support/containers/contained-platforms.ts";

describe("the suites of the platform, with containers", function () {
	this.timeout(1_800_000);
	let engine: DockerEngine;

	before(async () => {
		engine = await DockerEngine.start([]);
		buildSessionImage(engine);
		process.env["ATELIER_TEST_ENGINE"] = engine.socket;
	});
	after(async () => {
		delete process.env["ATELIER_TEST_ENGINE"];
		await engine?.[Symbol.asyncDispose]();
	});

	for (const suite of suites)
		it(`${suite} passes with as many tests`, async () => {
			const { passing, failing, pending } = await new MochaProcess([suite]).ended();
			const contained = new MochaProcess([suite], ["--import", preload]);
			const outcome = await contained.ended();
			console.log(`      ${passing} with processes, ${outcome.passing} with containers`);
			expect(failing, "with processes").to.equal(0);
			expect(contained.output).to.include("with containers");
			expect(outcome, contained.ending).to.deep.equal({ passing, failing: 0, pending });
		});
});
