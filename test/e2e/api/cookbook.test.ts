/**
 * The recipes of docs/cookbook.md, each run from the text of the page against one platform.
 * Long: it runs twelve recipes, one after the other, and several of them look every half second.
 */
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import type { Session } from "#shared/contracts/sessions/session-resource.ts";
import type { ApiClient } from "../../support/clients/api-client.ts";
import { ExampleStage } from "../../support/documents/example-stage.ts";
import { pageSections } from "../../support/documents/page-examples.ts";
import { Shell } from "../../support/documents/shell.ts";
import { eventually } from "../../support/eventually.ts";
import { failureOf } from "../../support/failure-of.ts";
import { say, shell, turns } from "../../support/model-server/script.ts";
import { ask, runningSession, sessionReaches } from "../../support/platform/session-steps.ts";

const secret = "webhook-secret-of-the-cookbook";

/** The outcome of a recipe. */
interface Outcome {
	readonly output: string;
	/** The working folder, with the files that it wrote. */
	readonly folder: string;
}

describe("docs/cookbook.md", function () {
	this.timeout(120_000);
	const [head, ...sections] = pageSections("docs/cookbook.md");
	const functions = [head, ...sections].flatMap((section) => section?.functions ?? []);
	let stage: ExampleStage;
	let api: ApiClient;
	/** The session that recipes call `$id`. */
	let id: string;

	before(async () => {
		const script = turns({ "date.txt": [shell("date > date.txt"), say("written")], "6 times 7": [say("42")] });
		stage = await ExampleStage.open(script, secret);
		api = stage.platform.client();
		({ id } = await runningSession(api, stage.github.url));
	});
	after(async () => {
		const violations = stage?.github.fake.violations;
		await stage?.[Symbol.asyncDispose]();
		expect(violations).to.deep.equal([]);
	});

	/** Runs lines after the beginning and the functions of the page; its addresses become those of the test. */
	function shellWith(lines: readonly string[], inside: string, session = id): Shell {
		const script = [...(head?.examples ?? []), ...functions, ...lines].join("\n");
		mkdirSync(inside, { recursive: true });
		return new Shell(stage.here(script), { folder: inside, env: { id: session, GITHUB_WEBHOOK_SECRET: secret } });
	}

	function examplesOf(number: number): readonly string[] {
		const { examples = [] } = sections[number - 1] ?? {};
		expect(examples, `examples of recipe ${number}`).to.have.length.above(0);
		return examples;
	}

	/** Starts a recipe in a folder of its own. */
	function started(number: number): Shell & Pick<Outcome, "folder"> {
		const inside = join(stage.folder, `recipe-${number}`);
		return Object.assign(shellWith(examplesOf(number), inside), { folder: inside });
	}

	/** Runs lines that fail; resolves to all that they print. */
	async function failing(lines: string, session: string): Promise<string> {
		await using ended = shellWith([lines], join(stage.folder, "failing"), session);
		return (await failureOf<Error>(ended.result())).message;
	}

	async function run(number: number): Promise<Outcome> {
		await using recipe = started(number);
		return { output: await recipe.result(), folder: recipe.folder };
	}

	async function sessionsNamed(name: string): Promise<Session[]> {
		return (await api.get<Session[]>(`/sessions?name=${name}`)).body;
	}

	/** The text of the newest answer of a session. */
	async function newestAnswer(session: string): Promise<string | undefined> {
		const { body } = await api.get<{ turns: { role: string; content: string }[] }>(`/sessions/${session}/conversation`);
		return body.turns.findLast(({ role }) => role === "assistant")?.content;
	}

	it("has twelve recipes, which this test runs", () => {
		expect(sections.map(({ heading }) => Number.parseInt(heading, 10))).to.deep.equal(
			Array.from({ length: 12 }, (_, index) => index + 1),
		);
	});

	it("1: waits for a session, which has the repository", async () => {
		const { output } = await run(1);
		const [session] = await sessionsNamed("first");
		expect(output).to.equal(`${session?.id} runs\n`);
		expect(session).to.include({ status: "running", repo: stage.github.url, branch: "main" });
	});

	it("2: follows a session live", async () => {
		await using recipe = started(2);
		await eventually(
			async () => {
				await api.post(`/sessions/${id}/messages`, { content: "$ echo seen" });
				return /^active$/m.test(recipe.output) && recipe.output.includes("echo seen");
			},
			{ withinMs: 30_000, everyMs: 500, what: "the recipe shows the activity and the command" },
		);
	});

	it("3: sends a message and prints the answer", async () => {
		expect((await run(3)).output).to.match(/^```\n[0-9a-f]{7,} .+\n```\n+$/);
	});

	it("4: takes the changes home with the commits of the session, before and after a stop", async () => {
		const worked = await runningSession(api, stage.github.url);
		const [recipe = ""] = examplesOf(4);
		const [change = "", ...home] = recipe.split("\n");
		const took = async (name: string, lines: readonly string[]): Promise<string> => {
			const inside = join(stage.folder, name);
			await using taken = shellWith(lines, inside, worked.id);
			await taken.result();
			return readFileSync(join(inside, "engine", "engine.txt"), "utf8");
		};
		expect(await took("recipe-4", [change, ...home])).to.equal("turn the key\n");
		expect(await ask(api, worked.id, "$ git status --short; git log -1 --format=%s")).to.equal("Add the engine\n");
		expect((await api.post(`/sessions/${worked.id}/stop`)).status).to.equal(200);
		await sessionReaches(api, worked.id, "stopped");
		expect(await took("recipe-4-stopped", home)).to.equal("turn the key\n");
		expect(await failing("ask $id '$ ls'", worked.id), "a refused message").to.include("is stopped, not running");
		expect(await failing("running $id", worked.id), "a wait for a stopped session").to.include("POD_ENDED");
	});

	it("ends its functions when the session has failed, before the answer too", async () => {
		const source = { type: "git", repo: stage.github.url, branch: "nobody-has-it" };
		const { body } = await api.post<Session>("/sessions", { name: "refused-branch", source });
		expect(await failing("running $id", body.id)).to.include("BRANCH_UNKNOWN: ");
		// The message was taken, and its answer never comes.
		const taken = `call() {
			case $1 in
				*/messages) echo '{"message_id":"m"}' ;;
				*/conversation) echo '{"is_active":false,"turns":[]}' ;;
				*) curl -s "$api/$1" ;;
			esac
		}`;
		expect(await failing(`${taken}\nask $id hello`, body.id)).to.include("BRANCH_UNKNOWN: ");
	});

	it("5: permits what the agent asks for", async () => {
		const { output } = await run(5);
		expect(output).to.match(/date > date\.txt/);
		const [session] = await sessionsNamed("careful");
		await eventually(async () => (await newestAnswer(session?.id ?? "")) === "written", {
			withinMs: 20_000,
			what: "the agent has done what was permitted",
		});
		expect(readFileSync(join(stage.platform.workspace(session?.id ?? ""), "date.txt"), "utf8")).to.have.length.above(
			10,
		);
	});

	it("6: limits the cost, and goes on when the limit is raised", async () => {
		const { output } = await run(6);
		expect(output).to.match(/budget/i);
		const [session] = await sessionsNamed("frugal");
		expect(session?.budget.limit).to.equal(5);
		await eventually(async () => (await newestAnswer(session?.id ?? "")) === "42", {
			withinMs: 20_000,
			what: "the waiting message is answered",
		});
	});

	it("7: reads every page of a list", async () => {
		const names = Array.from({ length: 25 }, (_, index) => `prompt ${index}`);
		for (const name of names) expect((await api.post("/prompts", { name, content: "text" })).status).to.equal(201);
		expect((await run(7)).output.trim().split("\n").toSorted()).to.deep.equal(names.toSorted());
	});

	it("8: makes a token that reads, and revokes it", async () => {
		const { output } = await run(8);
		const [count, ...statuses] = output.trim().split("\n");
		expect(Number(count)).to.be.above(0);
		expect(statuses).to.deep.equal(["403", "401"]);
		expect(await sessionsNamed("refused")).to.deep.equal([]);
	});

	it("9: signs a webhook as the git host does", async () => {
		expect((await run(9)).output).to.equal("204\n");
	});

	it("10: repeats a request that is carried out once", async () => {
		const [first, second] = (await run(10)).output.trim().split("\n");
		expect(first).to.equal(second).and.to.have.length(36);
		expect((await sessionsNamed("build-4711")).map((session) => session.id)).to.deep.equal([first]);
	});

	it("11: lets three sessions work at the same time", async () => {
		const { output } = await run(11);
		for (const part of ["lint", "types", "tests"]) expect(output).to.include(`${part} on main\n`);
	});

	it("12: reports the cost, the most expensive session first", async () => {
		const { output, folder: inside } = await run(12);
		const [columns, first] = readFileSync(join(inside, "cost.csv"), "utf8").split("\n");
		expect(columns).to.equal('"session","model","tokens","dollars"');
		expect(first).to.match(new RegExp(`^"(careful|frugal)","claude-sonnet-4-6",\\d+,0\\.\\d+$`));
		expect(output).to.include('"cost_today"').and.to.include('"spent"');
	});
});
