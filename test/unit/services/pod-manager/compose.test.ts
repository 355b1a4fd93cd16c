import { expect } from "chai";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { compose } from "#services/pod-manager/compose.ts";
import { ConfigError, loadConfig } from "#shared/config/config.ts";
import { InstallationKey } from "#shared/secrets/keys.ts";
import type { Platform } from "#shared/platform.ts";

let folder: string;

function platform(env: NodeJS.ProcessEnv): Platform {
	const key = new InstallationKey(Buffer.alloc(32, 1));
	return {
		config: loadConfig({ DATA_DIR: folder, ...env }),
		key,
		rawHandlers: new Map(),
		upgradeHandlers: new Map(),
		shortcomings: [],
		readiness: new Map(),
	};
}

describe("the pod manager's part", () => {
	beforeEach(async () => {
		folder = await mkdtemp(join(tmpdir(), "atelier-pod-manager-"));
	});
	afterEach(() => rm(folder, { recursive: true }));

	it("is one service for one developer on one machine", async () => {
		const part = await compose(platform({}));
		await part.close?.();
		expect(part.services.map(({ name }) => name)).to.deep.equal(["pod-manager", "agents"]);
	});

	it("refuses processes of this machine for any other identity", async () => {
		const adapter = "services/gateway/identity-providers/oidc.ts#OidcIdentity";
		const refusal = await compose(platform({ IDENTITY__ADAPTER: adapter })).catch((error: unknown) => error);
		expect(refusal).to.be.an.instanceOf(ConfigError);
		expect(String(refusal)).to.contain(`with the identity "${adapter}"`);
	});
});
