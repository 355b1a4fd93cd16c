/**
 * The example of NATS permissions at a real server: the platform works with it, and other clients get nothing (H9).
 */
import { expect } from "chai";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect, type NatsConnection } from "nats";
import { projectRoot } from "#shared/base/project-root.ts";
import { eventually } from "../../support/eventually.ts";
import { failureOf } from "../../support/failure-of.ts";
import { freePort } from "../../support/machine/free-port.ts";
import { NatsServer } from "../../support/bus/nats-server.ts";
import { ask, createSession, runningSession, sessionReaches } from "../../support/platform/session-steps.ts";
import { startPlatform, type TestPlatform } from "../../support/platform/start-platform.ts";
import { storingServices } from "../../support/platform/storing-services.ts";

const config = join(projectRoot, "config/nats/three-processes.conf");
const [gateway, sessions, podManager] = ["atelier-gateway", "atelier-sessions", "atelier-pod-manager"].map((user) => ({
	user,
	password: `secret-of-${user}`,
}));

describe("rights on NATS", function () {
	this.timeout(120_000);
	let folder: string;
	let nats: NatsServer;
	let platform: TestPlatform;

	before(async () => {
		folder = mkdtempSync(join(tmpdir(), "atelier-rights-"));
		nats = new NatsServer(await freePort());
		await nats.startWith(["--config", withAnotherAccount(), "--log", logFile()], {
			ATELIER_NATS_GATEWAY_PASSWORD: gateway?.password,
			ATELIER_NATS_SESSIONS_PASSWORD: sessions?.password,
			ATELIER_NATS_POD_MANAGER_PASSWORD: podManager?.password,
		});
		platform = await startPlatform({
			processes: [["gateway", "stream"]],
			readyAt: "/health",
			env: { BUS__URL: nats.urlFor(gateway) },
		});
		const asUser = (as: typeof gateway) => ({
			BUS__URL: nats.url,
			BUS__USER: as?.user ?? "",
			BUS__PASSWORD: as?.password ?? "",
		});
		platform.processes.push(
			platform.startProcess(storingServices, asUser(sessions)),
			platform.startProcess(["credentials", "pod-manager", "models"], asUser(podManager)),
		);
		const isReady = async () => (await fetch(`${platform.url}/ready`)).status === 200;
		await eventually(isReady, { withinMs: 60_000, what: "the platform is ready" });
	});

	after(async () => {
		await platform?.[Symbol.asyncDispose]();
		await nats?.[Symbol.asyncDispose]();
		rmSync(folder, { recursive: true });
	});

	it("let the platform work, events and chats included", async () => {
		const api = platform.client();
		await using stream = await platform.events();
		const { id } = await runningSession(api);
		await stream.event(({ data }) => data.includes(id) && data.includes('"running"'));
		expect(await ask(api, id, "$ echo heard")).to.include("heard");
		expect((await api.get("/models")).status).to.equal(200);
	});

	it("let a session have its credentials, and its owner know that it has them", async () => {
		const api = platform.client();
		await api.post("/credentials", { name: "token", data: { value: "hidden" } });
		const order = { name: "test", source: { type: "git", repo: "" }, credential_names: ["token", "none"] };
		const { id, warnings } = (await api.post<{ id: string; warnings: string[] }>("/sessions", order)).body;
		expect(warnings).to.deep.equal(['credential_names: credential "none" does not exist']);
		await sessionReaches(api, id, "running");
		expect(await ask(api, id, '$ echo "$TOKEN" | rev')).to.include("neddih");
		const { body } = await api.delete<{ affected_sessions: unknown }>("/credentials/token");
		expect(body.affected_sessions).to.deep.equal([{ id, name: "test" }]);
	});

	it("let a session have its owner's connections, and services ask for each other's part of them", async () => {
		const api = platform.client();
		await api.post("/credentials", { name: "key", data: { api_key: "hidden" } });
		const order = { integration_type: "ai_provider", slug: "openai", credential_name: "key" };
		const { status, body: connection } = await api.post<{ id: string }>("/integrations", order);
		expect(status).to.equal(201);
		const session = { name: "test", source: { type: "git", repo: "" }, integration_ids: [connection.id, "none"] };
		const { id, warnings } = (await api.post<{ id: string; warnings: string[] }>("/sessions", session)).body;
		expect(warnings).to.deep.equal(['integration_ids: connection "none" does not exist']);
		await sessionReaches(api, id, "running");
		expect(await ask(api, id, '$ echo "$OPENAI_API_KEY" | rev')).to.include("neddih");
		const { body } = await api.delete<{ affected_sessions: { id: string }[] }>("/credentials/key");
		expect(body.affected_sessions).to.deep.include({ id, name: "test" });
		const { body: outcome } = await api.post(`/integrations/${connection.id}/test`);
		expect(outcome).to.deep.include({ success: false, error: 'The credential "key" does not exist' });
	});

	it("are all that the platform asked for: nats-server had nothing to deny", () => {
		expect(readFileSync(logFile(), "utf8"))
			.to.include("Server is ready")
			.and.to.not.match(/violation/i);
	});

	it("keep a user of another account of the same server apart: no message arrives, in either direction", async () => {
		const far = await connect({ servers: nats.url, user: "another", pass: "secret" });
		let heard = 0;
		for (const subject of [">", "MOL-atelier.>"]) far.subscribe(subject, { callback: () => void heard++ });
		await far.flush();
		const near = await as(gateway);
		const came: string[] = [];
		near.subscribe("MOL-atelier.*.stream-gateway.>", { callback: (_error, { data }) => void came.push(String(data)) });
		await near.flush();
		for (const command of ["REQ", "RES", "EVENT"]) far.publish(`MOL-atelier.${command}.stream-gateway.x`, "from afar");
		await createSession(platform.client());
		await Promise.all([far.flush(), near.flush()]);
		// Its own three messages are all that it hears, once for each subscription.
		expect(heard).to.equal(6);
		expect(came).to.not.have.length(0).and.to.not.include("from afar");
		await Promise.all([far.close(), near.close()]);
	});

	it("refuse clients that are not named", async () => {
		for (const login of [{}, { user: "atelier-gateway", pass: "wrong" }, { user: "pod", pass: "" }]) {
			const refused = await failureOf(connect({ servers: nats.url, reconnect: false, ...login }));
			expect(String(refused)).to.match(/authorization/i);
		}
	});

	it("keep a process from the messages of others, and from processes it does not need", async () => {
		const far = await as(podManager);
		const errors: string[] = [];
		void (async () => {
			for await (const { data } of far.status()) errors.push(JSON.stringify(data));
		})();
		let heard = 0;
		const foreign = [
			"MOL-atelier.>",
			"MOL-atelier.*.stream-gateway.>",
			`MOL-atelier.REQ.${storingServices.join("-")}.>`,
			">",
		];
		for (const subject of foreign) far.subscribe(subject, { callback: (error) => void (error ?? heard++) });
		far.publish("MOL-atelier.RES.pod-manager-models.x");
		far.publish("MOL-atelier.EVENT.stream-gateway.x");
		await far.flush();
		await createSession(platform.client());
		const { body } = await platform.client().get<unknown[]>("/sessions");
		expect(body).to.not.have.length(0);
		await far.flush();
		expect(heard).to.equal(0);
		expect(errors.filter((error) => /permissions/i.test(error)).length).to.be.at.least(2);
		await far.close();
	});

	it("show no password in what the platform writes", () => {
		expect(platform.output).to.not.include("secret-of");
	});

	/** The server's rights, beside an account that has nothing to do with the platform. */
	function withAnotherAccount(): string {
		const file = join(folder, "nats.conf");
		const another = "accounts {\n  ANOTHER { users = [ { user: another, password: secret } ] }\n";
		writeFileSync(file, readFileSync(config, "utf8").replace("accounts {\n", another));
		return file;
	}

	function logFile(): string {
		return join(folder, "nats.log");
	}

	function as(login: typeof gateway): Promise<NatsConnection> {
		return connect({ servers: nats.url, user: login?.user ?? "", pass: login?.password ?? "" });
	}
});
