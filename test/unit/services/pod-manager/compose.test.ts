import { expect } from "chai";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { compose } from "#services/pod-manager/compose.ts";
import { ConfigError, loadConfig } from "#shared/config/config.ts";
import { Metrics } from "#shared/telemetry/metrics/metrics.ts";
import { Outbound } from "#shared/net/outbound/outbound.ts";
import { InstallationKey } from "#shared/base/secrets/keys.ts";
import type { Platform } from "#host/platform.ts";
import { noLog } from "../../../support/platform/no-log.ts";

let folder: string;

function platform(trustsCallers: boolean, env: NodeJS.ProcessEnv = {}): Platform {
	const key = new InstallationKey(Buffer.alloc(32, 1));
	return {
		config: loadConfig({ DATA_DIR: folder, ...env }),
		key,
		trustsCallers,
		outbound: new Outbound(loadConfig({}).outbound),
		rawHandlers: new Map(),
		upgradeHandlers: new Map(),
		shortcomings: [],
		metrics: new Metrics(),
		readiness: new Map(),
		log: noLog,
		announce() {},
	};
}

describe("the pod manager's part", () => {
	beforeEach(async () => {
		folder = await mkdtemp(join(tmpdir(), "atelier-pod-manager-"));
	});
	afterEach(() => rm(folder, { recursive: true }));

	it("is one service for one developer on one machine", async () => {
		const part = await compose(platform(true));
		await part.close?.();
		expect(part.services.map(({ name }) => name)).to.deep.equal(["pod-manager", "agents", "session-place"]);
	});

	it("has among its shortcomings that it chose processes because there is no engine", async () => {
		const open = platform(true, {
			PODS__RUNTIME__ADAPTER: "auto",
			PODS__RUNTIME__KWARGS__SOCKET: join(folder, "none.sock"),
			PODS__RUNTIME__KWARGS__EGRESS: "restricted",
		});
		const part = await compose(open);
		await part.close?.();
		const [first = ""] = open.shortcomings;
		expect(first)
			.to.contain("Sessions run as processes of this machine, and not in containers")
			.and.to.contain("have no effect there: socket, egress");
	});

	it("refuses pods without isolation if callers are not trusted", async () => {
		const unsafe = platform(false);
		const refusal = await compose(unsafe).catch((error: unknown) => error);
		expect(refusal).to.be.an.instanceOf(ConfigError);
		expect(String(refusal))
			.to.contain(`with the identity "${unsafe.config.identity.adapter}"`)
			.and.to.contain("the files, keys and sessions of everybody else, of other tenants and of the platform")
			.and.to.contain("pods.people_share_a_machine: they-trust-each-others-code");
	});

	it("accepts them if the operator says that these people trust each other's code", async () => {
		const part = await compose(platform(false, { PODS__PEOPLE_SHARE_A_MACHINE: "they-trust-each-others-code" }));
		await part.close?.();
		expect(part.services).to.have.length(3);
	});

	it("refuses them if the operator requires isolation, whoever the callers are", async () => {
		const refusal = await compose(platform(true, { PODS__REQUIRED_ISOLATION: "container" })).catch(String);
		expect(refusal).to.contain('"pods.required_isolation"').and.to.contain("COMPOSE_FILE");
	});

	it("accepts pods in containers with any callers", async () => {
		const { config, ...others } = platform(false, { PODS__REQUIRED_ISOLATION: "container" });
		const runtime = { ...config.pods.runtime, adapter: "test/support/pods/contained-pods.ts#ContainedPods" };
		const part = await compose({ ...others, config: { ...config, pods: { ...config.pods, runtime } } });
		await part.close?.();
		expect(part.services).to.have.length(3);
	});

	it("refuses to end sessions with one of several pod managers that share them", async () => {
		const { config, ...others } = platform(false, { PODS__ON_EXIT: "stop" });
		const runtime = { ...config.pods.runtime, adapter: "test/support/pods/contained-pods.ts#ContainedPods" };
		const shared = { ...others, config: { ...config, pods: { ...config.pods, runtime } } };
		const refusal = await compose(shared).catch((error: unknown) => error);
		expect(refusal).to.be.an.instanceOf(ConfigError);
		expect(String(refusal)).to.contain("the end of one would end all of them");
	});
});
