/**
 * The tutorial docs/first-session.md, run from the text of the page: what its reader sees, and the pull request at its end.
 * Long: it goes through a whole tutorial, with a start, three turns of an agent and a pull request.
 */
import { expect } from "chai";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Session } from "#shared/contracts/sessions/session-resource.ts";
import { ExampleStage } from "../../support/documents/example-stage.ts";
import { pageSections } from "../../support/documents/page-examples.ts";
import { Shell } from "../../support/documents/shell.ts";
import { failureOf } from "../../support/failure-of.ts";
import { say, shell, turns } from "../../support/model-server/script.ts";
import { runningSession, sessionReaches } from "../../support/platform/session-steps.ts";

const script = turns({
	"Which files": [shell("ls"), say("There is a README.md.")],
	contributors: [shell("printf '## Contributors\\n' >> README.md"), say("README.md has the section.")],
	"Commit the change": [shell("git commit -qam 'The section'"), say("It is committed.")],
	"Run the tests": [shell("git diff --check && echo fine"), say("The tests pass.")],
});

describe("docs/first-session.md", function () {
	this.timeout(120_000);
	const sections = pageSections("docs/first-session.md");
	let stage: ExampleStage;

	before(async () => {
		stage = await ExampleStage.open(script);
	});
	after(async () => {
		const violations = stage?.github.fake.violations;
		await stage?.[Symbol.asyncDispose]();
		expect(violations).to.deep.equal([]);
	});

	it("leads to a pull request with the change of the agent, and each step shows what the page says", async () => {
		// The platform runs already, and the stream of a third terminal has no end.
		const steps = sections.map(({ heading, functions, examples }) => {
			const lines = examples.filter((one) => !/npm start|sessions\/stream/.test(one));
			// An agent that commits its change is the usual case.
			const commits = heading.startsWith("7.") ? [`say "Commit the change"`] : [];
			return [`echo "== ${heading}"`, ...functions, ...commits, ...lines].join("\n");
		});
		await using tutorial = new Shell(stage.here(steps.join("\n")), { folder: stage.folder, withinMs: 90_000 });
		const shown = (await tutorial.result()).split(/^== /m);
		const step = (n: number): string => shown.find((text) => text.startsWith(`${n}. `)) ?? "";

		expect(step(1)).to.include("claude-sonnet-4-6");
		expect(step(2)).to.match(/"github"\n"[0-9a-f-]{36}"/);
		expect(step(3)).to.include('"running"').and.to.include('"docs/contributors"').and.to.include('"warnings": []');
		expect(step(4)).to.include("completed: ls\nThere is a README.md.");
		expect(step(5)).to.include("completed: printf").and.to.include("README.md has the section.");
		expect(step(6)).to.include("completed: git diff --check").and.to.include("The tests pass.");
		expect(step(7))
			.to.include('{"path":"README.md","status":"mod","ins":1,"del":0}')
			.and.to.include("+## Contributors");
		expect(step(8)).to.include('"status": "open"').and.to.include('"state": "open"');
		expect(step(9))
			.to.match(/"tokens_used": \d{3,}/)
			.and.to.match(/"spent": 0\.\d+/);
		expect(step(10)).to.include("stopped\n").and.to.include("file: README.md").and.to.include("\ndeleted\n");

		expect(readFileSync(join(stage.folder, "changes.patch"), "utf8")).to.include("+## Contributors");
		const [pull] = stage.github.fake.state.pulls;
		expect(pull).to.include({ title: "Name the contributors", head: "docs/contributors", base: "main", state: "open" });
		const { body } = await stage.platform.client().get<Session[]>("/sessions?name=contributors");
		expect(body).to.deep.equal([]);
	});

	it("shows a refusal in each step, because no request that jq reads is sent without `call`", () => {
		const silent = sections.flatMap(({ examples }) => examples).filter((lines) => /curl[^\n]*\|\s*jq/.test(lines));
		expect(silent).to.deep.equal([]);
	});

	it("has functions that print the sentence of the platform when it refuses, and end", async () => {
		const functions = sections.flatMap((section) => section.functions);
		const failing = async (lines: string, id: string): Promise<string> => {
			const script = ["api=http://127.0.0.1:8080/api/v1/svc", ...functions, lines].join("\n");
			await using ended = new Shell(stage.here(script), { folder: stage.folder, env: { id } });
			return (await failureOf<Error>(ended.result())).message;
		};
		const api = stage.platform.client();
		const { id } = await runningSession(api, stage.github.url);
		await api.post(`/sessions/${id}/stop`);
		await sessionReaches(api, id, "stopped");
		expect(await failing("say '$ ls'", id)).to.include("is stopped, not running; start it with");
		expect(await failing("running $id", id)).to.include("stopped: ");
		const source = { type: "git", repo: stage.github.url, branch: "nobody-has-it" };
		const failed = await api.post<Session>("/sessions", { name: "refused-branch", source });
		expect(await failing("running $id", failed.body.id))
			.to.include("failed: The repository")
			.and.to.include("nobody-has-it");
		const nobody = await failing("api=http://127.0.0.1:1/api/v1/svc; call models", "");
		expect(nobody).to.include("Nobody answers at http://127.0.0.1:1/api/v1/svc").and.not.to.include("curl:");
		const nobodys = "https://git.nobody.example/team/r.git";
		const local = await api.post<Session>("/sessions", { name: "nobodys", source: { type: "git", repo: nobodys } });
		const pullRequest = await failing(`call repos/prs --json '{"session_id":"${local.body.id}","title":"x"}'`, "");
		expect(pullRequest).to.include("No git provider serves this repository").and.not.to.include("curl:");
		expect(await failing(`running "$(call sessions --json '{"nmae":"x"}' | jq -r .id)"`, "")).to.include(
			"Field required",
		);
	});
});
