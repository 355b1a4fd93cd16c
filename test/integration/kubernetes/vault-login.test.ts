/**
 * The login of the platform at a real Vault by the token of its account in a cluster, which a real API server reviews.
 * Night: both programs take 5 to 15 minutes to build.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { VaultCredentials } from "#services/credentials/credential-stores/vault.ts";
import { personOf } from "#services/credentials/store/credential-owner.ts";
import type { ApiClient } from "#shared/kubernetes/api/api-client.ts";
import type { KubeObject } from "#shared/kubernetes/api/kube-object.ts";
import { UnavailableError } from "#shared/base/errors.ts";
import { eventually } from "../../support/eventually.ts";
import { failureOf } from "../../support/failure-of.ts";
import { KubeServer } from "../../support/kubernetes/kube-server.ts";
import { documentedPolicy } from "../../support/vault/documented-policy.ts";
import { VaultServer } from "../../support/vault/vault-server.ts";

const ada = personOf({ tenant: "default", id: "ada" });
const [namespace, audience] = ["sessions", "vault"];

interface TokenRequest extends KubeObject {
	readonly status: { readonly token: string };
}

describe("the login at Vault by the account of a pod", function () {
	this.timeout(180_000);
	const all = new AsyncDisposableStack();
	let server: KubeServer;
	let client: ApiClient;
	let vault: VaultServer;
	let mount: string;
	let tokenFile: string;

	before(async () => {
		const folder = mkdtempSync(join(tmpdir(), "atelier-vault-login-"));
		all.defer(() => rmSync(folder, { recursive: true }));
		tokenFile = join(folder, "token");
		server = all.use(await KubeServer.start());
		client = await server.client();
		all.defer(() => client.close());
		vault = all.use(await VaultServer.start());
		mount = await vault.makeMount();
		for (const name of ["credentials", "another", "reviewer"]) await makeAccount(name);
		await letReview("reviewer");
		await vault.done("POST", "sys/auth/kubernetes", { type: "kubernetes" });
		await vault.done("POST", "auth/kubernetes/config", {
			kubernetes_host: `https://127.0.0.1:${server.port}`,
			kubernetes_ca_cert: server.certificate.cert.toString(),
			token_reviewer_jwt: await tokenOf("reviewer"),
		});
		await vault.done("POST", "auth/kubernetes/role/atelier-credentials", {
			bound_service_account_names: ["credentials"],
			bound_service_account_namespaces: [namespace],
			audience,
			token_policies: [await vault.makePolicy(documentedPolicy(mount))],
			token_no_default_policy: true,
			token_ttl: "2s",
		});
	});
	after(() => all.disposeAsync());

	async function makeAccount(name: string): Promise<void> {
		const account = { apiVersion: "v1", kind: "ServiceAccount", metadata: { name } };
		await client.create({ version: "v1", plural: "serviceaccounts", namespace }, account);
	}

	async function letReview(name: string): Promise<void> {
		const [group, roleRef] = ["rbac.authorization.k8s.io", "system:auth-delegator"];
		await client.create(
			{ group, version: "v1", plural: "clusterrolebindings" },
			{
				apiVersion: `${group}/v1`,
				kind: "ClusterRoleBinding",
				metadata: { name },
				roleRef: { apiGroup: group, kind: "ClusterRole", name: roleRef },
				subjects: [{ kind: "ServiceAccount", name, namespace }],
			},
		);
		const account = server.accountClient(await tokenOf(name));
		all.defer(() => account.close());
		const reviews = { group: "authentication.k8s.io", version: "v1", plural: "tokenreviews" };
		const body = { apiVersion: "authentication.k8s.io/v1", kind: "TokenReview", spec: { token: "none" } };
		// The API server knows the roles of every cluster some seconds after its start.
		const mayReview = () =>
			account.createPart(reviews, undefined, body).then(
				() => true,
				() => false,
			);
		await eventually(mayReview, { withinMs: 60_000, what: "the account may review tokens" });
	}

	/** @param audiences Without one, the token is for the API of the cluster. */
	async function tokenOf(account: string, audiences: readonly string[] = []): Promise<string> {
		const body = { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec: { audiences } };
		const resource = { version: "v1", plural: "serviceaccounts", namespace };
		return (await client.createPart<TokenRequest>(resource, account, body, { part: "token" })).status.token;
	}

	async function open(account: string): Promise<VaultCredentials> {
		writeFileSync(tokenFile, await tokenOf(account, [audience]));
		return new VaultCredentials({ url: vault.url, mount, token_file: tokenFile });
	}

	it("stores and reads, before and after the token has ended or was revoked", async () => {
		const store = await open("credentials");
		await store.put(ada, { name: "one", secret_type: "generic", data: { token: "1" }, metadata: {} });
		const ended = async () => {
			const { body } = await vault.ask("LIST", "auth/token/accessors");
			return (body as { readonly data: { readonly keys: readonly string[] } }).data.keys.length === 1;
		};
		await eventually(ended, { withinMs: 30_000, what: "the root token is the only one" });
		expect((await store.values(ada, ["one"])).get("one")?.data).to.deep.equal({ token: "1" });
		await vault.done("PUT", "sys/leases/revoke-prefix/auth/kubernetes/login", {});
		expect(await store.list(ada)).to.have.length(1);
	});

	it("is refused for another account, and while the cluster does not know the account any more", async () => {
		const stranger = await failureOf<UnavailableError>((await open("another")).list(ada));
		expect(stranger).to.be.an.instanceOf(UnavailableError);
		expect(String(stranger.cause)).to.contain("service account name not authorized");
		const store = await open("credentials");
		await client.delete({ version: "v1", plural: "serviceaccounts", namespace }, "credentials", {});
		const isRefused = () =>
			store.list(ada).then(
				() => false,
				(error: unknown) => error instanceof UnavailableError && String(error.cause).includes("permission denied"),
			);
		await eventually(isRefused, { withinMs: 60_000, everyMs: 500, what: "Vault refuses the account" });
	});
});
