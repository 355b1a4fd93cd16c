import { DevIdentity } from "#services/gateway/identity-providers/dev.ts";
import { people } from "../support/start-gateway.ts";
import { describeIdentityProvider } from "./identity-provider.contract.ts";

describeIdentityProvider("dev", async () => ({
	identity: new DevIdentity({ users: people }),
	known: people.map(({ token, ...principal }) => ({
		authorization: `Bearer ${token}`,
		principal: { kind: "user", ...principal },
	})),
	nobody: { kind: "user", id: "dev-user", tenant: "default", roles: ["admin", "developer"] },
}));
