/**
 * The commands of the systemd units for several processes (docs/one-server.md): two gateways, two cores and two pod
 * managers over NATS and MongoDB run a session, and each unit is restarted in turn.
 * Night: twelve processes start one after the other.
 */
import { expect } from "chai";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openInstallationKey } from "#shared/base/secrets/keys.ts";
import { type NatsServer, startNatsServer } from "../../support/bus/nats-server.ts";
import { ApiClient } from "../../support/clients/api-client.ts";
import { Balancer } from "../../support/cluster/balancer.ts";
import { OpenIdProvider } from "../../support/identity/openid-provider.ts";
import { StartedUnit } from "../../support/installations/started-unit.ts";
import { freePort } from "../../support/machine/free-port.ts";
import { killSessionProcesses } from "../../support/platform/session-processes.ts";
import { ask, sessionReaches, type SessionView } from "../../support/platform/session-steps.ts";
import { MongodSet } from "../../support/stores/mongod-set.ts";

/** The units of the documented update, in its order. */
const units = ["core@1", "core@2", "pod-manager@1", "pod-manager@2", "gateway@1", "gateway@2"] as const;

describe("one server with several processes", function () {
	this.timeout(300_000);
	let folder: string;
	let dataDir: string;
	let nats: NatsServer;
	let store: MongodSet;
	let provider: OpenIdProvider;
	let balancer: Balancer;
	let environment: Record<string, string>;
	const started = new Map<string, { readonly unit: StartedUnit; readonly start: () => Promise<StartedUnit> }>();

	/** Prepares one unit at free ports instead of its documented ones. */
	async function prepared(name: string): Promise<() => Promise<StartedUnit>> {
		const [file = "", instance = ""] = name.split("@");
		const [port, opsPort] = [await freePort(), await freePort()];
		const isGateway = file === "gateway";
		if (isGateway) balancer.targets = [...balancer.targets, port];
		// A core and a pod manager tell session agents the port of the proxy.
		const env = { ...environment, PORT: String(isGateway ? port : balancer.port), OPS__PORT: String(opsPort) };
		return async () => {
			const unit = new StartedUnit(`atelier-${file}@.service`, { instance, env });
			await unit.ready(`http://127.0.0.1:${opsPort}`);
			return unit;
		};
	}

	before(async () => {
		folder = mkdtempSync(join(tmpdir(), "atelier-several-units-"));
		dataDir = join(folder, "atelier");
		mkdirSync(dataDir, { mode: 0o700 });
		[nats, store, provider, balancer] = await Promise.all([
			startNatsServer(),
			MongodSet.start(1),
			OpenIdProvider.listen({ ada: { name: "Ada" } }),
			Balancer.listen(),
		]);
		environment = {
			DATA_DIR: dataDir,
			HOME: dataDir,
			IDENTITY__KWARGS__ISSUER: provider.issuer,
			BUS__URL: nats.url,
			STORE__ADAPTER: "shared/store/mongodb-store.ts#MongodbStore",
			STORE__KWARGS__URL: store.url,
		};
		const starts = await Promise.all(units.map(async (name) => ({ name, start: await prepared(name) })));
		// A process is ready when the services that it needs are there, so all start at once.
		await Promise.all(starts.map(async ({ name, start }) => started.set(name, { unit: await start(), start })));
	});

	after(async () => {
		await Promise.all([...started.values()].map(({ unit }) => unit[Symbol.asyncDispose]()));
		killSessionProcesses(openInstallationKey(dataDir, "").installationId());
		for (const one of [balancer, provider, store, nats]) await one?.[Symbol.asyncDispose]();
		rmSync(folder, { recursive: true, force: true });
	});

	it("runs a session, which goes on while each unit is restarted", async () => {
		const { accessToken } = await provider.login("ada");
		const api = new ApiClient(`http://127.0.0.1:${balancer.port}/api/v1/svc`, {
			authorization: `Bearer ${accessToken}`,
		});
		const created = await api.post<SessionView>("/sessions", { name: "first" });
		expect(created.status, created.text).to.equal(201);
		const { id } = created.body;
		await sessionReaches(api, id, "running");
		const targets = [...balancer.targets];
		for (const name of units) {
			const { unit, start } = started.get(name) ?? expect.fail(`${name} was not started`);
			// The proxy sends nothing to a gateway that is restarted.
			const other = name === "gateway@1" ? 1 : 0;
			balancer.targets = name.startsWith("gateway") ? targets.slice(other, other + 1) : targets;
			expect(await unit.stop(), `${name} ends in order:\n${unit.output.slice(-2_000)}`).to.equal(0);
			started.set(name, { unit: await start(), start });
			balancer.targets = targets;
			expect(await ask(api, id, `$ echo after ${name}`), name).to.include(`after ${name}`);
		}
		expect((await api.post(`/sessions/${id}/stop`)).status).to.equal(200);
		await sessionReaches(api, id, "stopped");
	});
});
