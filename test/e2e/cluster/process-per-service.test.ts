/**
 * Each service in a process of its own, over nats-server with the permissions of config/nats/process-per-service.conf.
 * Night: fourteen processes start, which takes a minute.
 */
import { expect } from "chai";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { serviceFolders } from "#host/service-folders.ts";
import { projectRoot } from "#shared/base/project-root.ts";
import { NatsServer } from "../../support/bus/nats-server.ts";
import { eventually } from "../../support/eventually.ts";
import { freePort } from "../../support/machine/free-port.ts";
import { runDemo } from "../../support/platform/run-demo.ts";
import { ask, createSession, sessionReaches } from "../../support/platform/session-steps.ts";
import { type PlatformProcess, TestPlatform } from "../../support/platform/start-platform.ts";
import { fileUrl, gitDiff, makeRepository } from "../../support/repositories/git-repository.ts";
import { MongodSet } from "../../support/stores/mongod-set.ts";

const config = join(projectRoot, "config/nats/process-per-service.conf");

/** One kind of process as the comment of the configuration names it. */
interface Kind {
	readonly services: readonly string[];
	readonly user: string;
	/** The variable of its password. */
	readonly variable: string;
	/** The port of its `/ready`. */
	readonly ops: number;
}

async function kindsOf(text: string): Promise<Kind[]> {
	const lines = text.matchAll(/^# {5}npm run service -- (.+)\n# {9}user (\S+), password \$(\S+)$/gm);
	return Promise.all(
		[...lines].map(async ([, services = "", user = "", variable = ""]) => ({
			services: services.split(" "),
			user,
			variable,
			ops: await freePort(),
		})),
	);
}

describe("a process for each service", function () {
	this.timeout(300_000);
	let folder: string;
	let kinds: Kind[];
	const resources = new AsyncDisposableStack();
	let platform: TestPlatform;
	/** The running process of a service. */
	const running = new Map<string, PlatformProcess>();

	before(async () => {
		folder = mkdtempSync(join(tmpdir(), "atelier-each-"));
		kinds = await kindsOf(readFileSync(config, "utf8"));
		const passwords = Object.fromEntries(kinds.map(({ user, variable }) => [variable, `secret-of-${user}`]));
		const nats = resources.use(new NatsServer(await freePort()));
		await nats.startWith(["--config", config, "--log", logFile()], passwords);
		const { url } = resources.use(await MongodSet.start(1));
		const store = { adapter: "shared/store/mongodb-store.ts#MongodbStore", kwargs: { url } };
		platform = resources.use(new TestPlatform(await freePort(), { config: { store, bus: { url: nats.url } } }));
		for (const kind of kinds) start(kind);
		await platform.ready(120_000);
	});

	afterEach(function () {
		if (this.currentTest?.state === "failed") console.log(platform?.output.slice(-10_000));
	});

	after(async () => {
		await resources.disposeAsync();
		rmSync(folder, { recursive: true });
	});

	function start({ services, user, ops }: Kind): void {
		const login = { BUS__USER: user, BUS__PASSWORD: `secret-of-${user}`, OPS__PORT: String(ops) };
		const started = platform.startProcess(services, login);
		for (const service of services) running.set(service, started);
		platform.processes = [...new Set(running.values())];
	}

	function kindOf(service: string): Kind {
		const kind = kinds.find(({ services }) => services.includes(service));
		return kind ?? expect.fail(`Nobody runs ${service}`);
	}

	/** Returns the answer of a process to the question whether it is ready. */
	async function readiness(service: string): Promise<string> {
		const answer = await fetch(`http://127.0.0.1:${kindOf(service).ops}/ready`);
		return `${answer.status} ${await answer.text()}`;
	}

	function logFile(): string {
		return join(folder, "nats.log");
	}

	it("has only the gateway and its streams together, and is ready in each process", async () => {
		expect(kinds.flatMap(({ services }) => services)).to.have.members([...serviceFolders]);
		expect(kinds.filter(({ services }) => services.length > 1).map(({ services }) => services)).to.deep.equal([
			["stream", "gateway"],
		]);
		for (const service of serviceFolders) {
			const isReady = async () => (await readiness(service)).startsWith("200");
			await eventually(isReady, { withinMs: 30_000, what: `${service} is ready` });
		}
	});

	it("runs the demo from the creation of a session to its deletion, and shows the true diff", async () => {
		const repository = fileUrl(makeRepository(join(folder, "repository")));
		const whole = await runDemo(platform, repository);
		expect(whole.exitCode, whole.output).to.equal(0);
		const kept = await runDemo(platform, "--keep");
		expect(kept.exitCode, kept.output).to.equal(0);
		expect(kept.patch).to.equal(gitDiff(platform.workspace(kept.sessionId)));
		await platform.client().delete(`/sessions/${kept.sessionId}`);
	});

	it("tells clients of events, and gives sessions their credentials and connections", async () => {
		const api = platform.client();
		await using stream = await platform.events();
		await api.post("/credentials", { name: "key", data: { api_key: "hidden" } });
		const order = { integration_type: "ai_provider", slug: "openai", credential_name: "key" };
		const { body: connection } = await api.post<{ id: string }>("/integrations", order);
		const session = { name: "test", source: { type: "git", repo: "" }, integration_ids: [connection.id] };
		const { id } = (await api.post<{ id: string }>("/sessions", session)).body;
		await stream.event(({ data }) => data.includes(id) && data.includes('"running"'));
		expect(await ask(api, id, '$ echo "$OPENAI_API_KEY" | rev')).to.include("neddih");
		const { body } = await api.delete<{ affected_sessions: { id: string }[] }>("/credentials/key");
		expect(body.affected_sessions).to.deep.include({ id, name: "test" });
		expect((await api.delete(`/sessions/${id}`)).status).to.equal(204);
	});

	it("enters into the audit log what people do in any process", async () => {
		const api = platform.client();
		expect((await api.post("/prompts", { name: "one", content: "text" })).status).to.equal(201);
		const isEntered = async () => (await api.get("/admin/audit")).text.includes('"prompts.create"');
		await eventually(isEntered, { what: "the prompt is in the audit log" });
	});

	it("says in each process that stores when nobody runs event-log, and loses no event meanwhile", async () => {
		const api = platform.client();
		await running.get("event-log")?.stop();
		for (const service of ["sessions", "blueprints"]) {
			const says = async () => (await readiness(service)).includes('relay: nobody runs \\"event-log\\"');
			await eventually(says, { withinMs: 30_000, what: `${service} says what is missing` });
		}
		const { id } = await createSession(api);
		start(kindOf("event-log"));
		await platform.ready(60_000);
		await sessionReaches(api, id, "running");
		await using stream = await platform.events();
		await stream.event(({ data }) => data.includes(id));
		const isReady = async () => (await readiness("sessions")).startsWith("200");
		await eventually(isReady, { withinMs: 30_000, what: "sessions is ready again" });
	});

	it("asks for nothing that nats-server denies", () => {
		expect(readFileSync(logFile(), "utf8"))
			.to.include("Server is ready")
			.and.to.not.match(/violation/i);
	});
});
