/**
 * Several pod managers at one engine: two processes of one installation, and two installations. Each session has one container, whoever
 * is killed, and nobody touches those of others.
 * Night: it starts a Docker engine and builds the image of sessions.
 * Alone: a Docker engine changes the machine while it runs.
 */
import { expect } from "chai";
import { type NatsServer, startNatsServer } from "../../support/bus/nats-server.ts";
import type { ApiClient } from "../../support/clients/api-client.ts";
import { ContainedPlatform, containersAdapter } from "../../support/containers/contained-platform.ts";
import { sessionImage } from "../../support/containers/session-image.ts";
import { eventually } from "../../support/eventually.ts";
import { ask, createSession, sessionReaches } from "../../support/platform/session-steps.ts";
import { startPlatform, type TestPlatform } from "../../support/platform/start-platform.ts";
import { storingServices } from "../../support/platform/storing-services.ts";

const podManagers = [["pod-manager"], ["pod-manager"]] as const;
const processes = [["gateway", "stream"], storingServices, ["credentials", "models"], ...podManagers];

describe("two pod managers at one engine", function () {
	this.timeout(240_000);
	const all = new AsyncDisposableStack();
	let other: ContainedPlatform;
	let nats: NatsServer;
	let platform: TestPlatform;
	let api: ApiClient;

	before(async () => {
		other = all.use(await ContainedPlatform.start());
		nats = all.use(await startNatsServer());
		const runtime = { adapter: containersAdapter, kwargs: { socket: other.engine.socket, image: sessionImage } };
		platform = all.use(await startPlatform({ processes, env: { BUS__URL: nats.url }, config: { pods: { runtime } } }));
		api = platform.client();
	});
	after(() => all.disposeAsync());

	async function deleted(client: ApiClient, ids: readonly string[]): Promise<void> {
		for (const id of ids) await client.delete(`/sessions/${id}`);
		for (const id of ids)
			await eventually(() => other.containers(id).length === 0, { withinMs: 60_000, what: "the container is gone" });
	}

	it("of one installation start one container for each session, and one goes on for the other that is killed", async () => {
		const made = await Promise.all(Array.from({ length: 6 }, () => createSession(api)));
		const ids = made.map(({ id }) => id);
		await Promise.all(ids.map((id) => sessionReaches(api, id, "running", 60_000)));
		for (const id of ids) expect(other.containers(id), id).to.have.length(1);
		for (const id of ids) expect(await ask(api, id, "$ echo before"), id).to.equal("before\n");
		const [first] = platform.processes.filter(({ services }) => services.includes("pod-manager"));
		await first?.kill();
		// The other one takes over the sockets of the one that was killed; a message meanwhile is refused.
		const answers = (id: string) => ask(api, id, "$ echo after").catch(() => undefined);
		for (const id of ids) expect(await eventually(() => answers(id), { withinMs: 30_000 }), id).to.equal("after\n");
		const more = (await createSession(api)).id;
		await sessionReaches(api, more, "running", 60_000);
		for (const id of [...ids, more]) expect(other.containers(id), id).to.have.length(1);
		await deleted(api, [...ids, more]);
	});

	it("of two installations do not touch what the other has", async () => {
		const [hers, his] = [await other.running({ model: "" }), (await createSession(api)).id];
		await sessionReaches(api, his, "running", 60_000);
		await other.platform.kill();
		await deleted(api, [his]);
		await other.platform.start();
		await sessionReaches(other.api, hers, "running", 60_000);
		expect(await ask(other.api, hers, "$ echo still here")).to.equal("still here\n");
		expect(other.containers(hers)).to.have.length(1);
		await deleted(other.api, [hers]);
	});

	it("are refused when a second whole platform takes the same data folder", async () => {
		const second = other.platform.startProcess([], { PORT: "0" });
		expect(await second.ended(60_000), second.output).to.equal(1);
		expect(second.output).to.include("Cannot open the store");
		const id = await other.running({ model: "" });
		expect(await ask(other.api, id, "$ echo works")).to.equal("works\n");
		await deleted(other.api, [id]);
	});
});
