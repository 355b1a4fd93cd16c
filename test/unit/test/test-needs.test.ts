/** The tests of `npm test`, and the commands that run the others. */
import { expect } from "chai";
import { globSync } from "node:fs";
import { projectRoot } from "#shared/base/project-root.ts";
import { leftOutLines } from "../../left-out.ts";
import { chosenTests } from "../../test-choice.ts";
import { isQuick, needsOf } from "../../test-needs.ts";

const every = globSync("test/**/*.test.ts", { cwd: projectRoot });
const all = () => true;

describe("what tests need", () => {
	it("is read from the heads of all modules that a test imports", () => {
		expect(needsOf("test/e2e/processes/several-processes.test.ts").programs).to.deep.equal(["nats-server"]);
		expect(needsOf("test/e2e/api/api-page.test.ts").programs).to.deep.equal(["chromium"]);
		expect(needsOf("test/failover/failover.test.ts").programs).to.deep.equal(["mongod", "nats-server"]);
		expect(needsOf("test/contract/real-agents.test.ts").programs).to.deep.equal(["agents"]);
	});

	it("is nothing for the main tests of the platform as its user sees it", () => {
		for (const name of [
			"sessions/demo",
			"processes/start-stop",
			"chat/chat",
			"security/tenancy",
			"security/access-proof",
			"api/conformance",
			"books/budget",
			"credentials/credentials",
			"sessions/pull-request",
			"integrations/oauth",
		])
			expect(isQuick(needsOf(`test/e2e/${name}.test.ts`)), name).to.equal(true);
	});

	it("keeps end-to-end tests that are not among the main ones out of `npm test`", () => {
		const endToEnd = every.filter((file) => file.startsWith("test/e2e/"));
		const quick = endToEnd.filter((file) => isQuick(needsOf(file)));
		expect(quick).to.have.lengthOf(11);
		expect(quick.every((file) => needsOf(file).isMain)).to.equal(true);
		expect(isQuick({ programs: [], isMain: false })).to.equal(false);
	});

	it("is known for every test, and `npm test`, the rest and the night are all of them", () => {
		const quick = chosenTests(every, { selection: "quick", without: [] }, all);
		const rest = chosenTests(every, { selection: "rest", without: [] }, all);
		const night = chosenTests(every, { selection: "night", without: [] }, all);
		expect([...quick.files, ...rest.files, ...night.files].toSorted()).to.deep.equal(every.toSorted());
		expect(chosenTests(every, { selection: "all", without: [] }, all).files.toSorted()).to.deep.equal(
			[...quick.files, ...rest.files].toSorted(),
		);
		expect([quick.leftOut.toSorted(), rest.leftOut, night.leftOut]).to.deep.equal([
			[...rest.files, ...night.files].toSorted(),
			night.files,
			[],
		]);
		expect(night.files).to.include("test/contract/git/git-provider-gitea.test.ts");
		const programs = new Set(every.flatMap((file) => needsOf(file).programs));
		expect([...programs].toSorted()).to.deep.equal([
			"agents",
			"chromium",
			"curl",
			"docker-engine",
			"gitea",
			"haproxy",
			"helm",
			"jq",
			"keycloak",
			"kube-apiserver",
			"kubernetes-cluster",
			"kustomize",
			"mongod",
			"nats-server",
			"openssl",
			"prometheus",
			"promtool",
			"sshd",
			"vault",
		]);
	});

	it("is missing without a program, unless that is excused", () => {
		const asked = { selection: "rest", without: ["mongod"] } as const;
		const { files, leftOut, missing } = chosenTests(every, asked, (program) => program !== "chromium");
		expect(missing).to.deep.equal(["chromium"]);
		expect(leftOut).to.include.members(["test/e2e/api/api-page.test.ts", "test/failover/failover.test.ts"]);
		expect(files).to.include("test/e2e/operations/traces.test.ts");
	});

	it("is told at the end, with the command that runs what was left out", () => {
		const files = [
			"test/e2e/api/api-page.test.ts",
			"test/e2e/operations/traces.test.ts",
			"test/e2e/security/nats-permissions.test.ts",
		];
		expect(leftOutLines(files)).to.deep.equal([
			"Left out: 1 file (need chromium), 2 files (need nats-server); " +
				"npm run servers -- get chromium nats-server, then npm run test:all runs them",
			"  need chromium: e2e/api/api-page",
			"  need nats-server: e2e/operations/traces, e2e/security/nats-permissions",
		]);
		expect(leftOutLines(["test/contract/git/git-provider-gitea.test.ts"])).to.deep.equal([
			"Left out: 1 file (run at night); npm run test:night runs them",
			"  run at night: contract/git/git-provider-gitea",
		]);
		expect(leftOutLines([])).to.deep.equal([]);
	});
});
