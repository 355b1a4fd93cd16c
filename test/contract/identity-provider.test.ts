import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openApiToken } from "#shared/config/api-token.ts";
import { DevIdentity } from "#services/gateway/identity-providers/dev.ts";
import { TokenIdentity } from "#services/gateway/identity-providers/token.ts";
import { people } from "../support/platform/start-gateway.ts";
import { describeIdentityProvider } from "./identity-provider.contract.ts";

describeIdentityProvider("dev", async () => ({
	identity: new DevIdentity({ users: people }),
	known: people.map(({ token, ...principal }) => ({
		authorization: `Bearer ${token}`,
		found: { kind: "user", ...principal },
	})),
	nobody: { kind: "user", id: "dev-user", tenant: "default", roles: ["admin", "developer"] },
}));

const dataDir = mkdtempSync(join(tmpdir(), "atelier-token-"));
after(() => rmSync(dataDir, { recursive: true, force: true }));

describeIdentityProvider("token", async () => ({
	identity: new TokenIdentity({ dataDir }),
	known: [
		{
			authorization: `Bearer ${openApiToken(dataDir)}`,
			found: { kind: "user", id: "dev-user", tenant: "default", roles: ["admin", "developer"] },
		},
	],
	nobody: undefined,
}));
