/**
 * The commands of the systemd units with the environment file of config/systemd, as docs/one-server.md says it: a person of
 * an OpenID provider logs in, and a session runs.
 */
import { expect } from "chai";
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { projectRoot } from "#shared/base/project-root.ts";
import { openInstallationKey } from "#shared/base/secrets/keys.ts";
import { ApiClient } from "../../support/clients/api-client.ts";
import { OpenIdProvider } from "../../support/identity/openid-provider.ts";
import { StartedUnit } from "../../support/installations/started-unit.ts";
import { freePort } from "../../support/machine/free-port.ts";
import { killSessionProcesses } from "../../support/platform/session-processes.ts";
import { ask, sessionReaches, type SessionView } from "../../support/platform/session-steps.ts";
import { makeRepository, fileUrl } from "../../support/repositories/git-repository.ts";

/** Returns the variables that the page tells an operator to write, with a key whose end is not left out. */
function firstMemberLines(): Record<string, string> {
	const page = readFileSync(join(projectRoot, "docs/one-server.md"), "utf8");
	const section = /^## The first member$([^]*?)^## /m.exec(page)?.[1] ?? "";
	const lines = section.replaceAll("…", "key").matchAll(/^([A-Z][A-Z_]+)=(.+)$/gm);
	return Object.fromEntries([...lines].map(([, name, value]) => [name, value]));
}

describe("one server", function () {
	this.timeout(120_000);
	let folder: string;
	let provider: OpenIdProvider;
	let platform: StartedUnit;
	let url: string;

	before(async () => {
		folder = mkdtempSync(join(tmpdir(), "atelier-one-server-"));
		const administrator = { name: "Ada", realm_access: { roles: ["atelier-admin"] } };
		provider = await OpenIdProvider.listen({ ada: administrator, ben: { name: "Ben" } });
		const port = await freePort();
		url = `http://127.0.0.1:${port}`;
		mkdirSync(join(folder, "atelier"), { mode: 0o700 });
		// These differ from the documented file: the places of a test, and a provider that is there.
		const env = {
			PORT: String(port),
			DATA_DIR: join(folder, "atelier"),
			HOME: join(folder, "atelier"),
			...firstMemberLines(),
			IDENTITY__KWARGS__ISSUER: provider.issuer,
			GIT__ALLOWED_PROTOCOLS: "[file]",
		};
		platform = new StartedUnit("atelier.service", { env });
		await platform.ready(url);
	});

	after(async () => {
		await platform?.[Symbol.asyncDispose]();
		killSessionProcesses(openInstallationKey(join(folder, "atelier"), "").installationId());
		await provider?.[Symbol.asyncDispose]();
		rmSync(folder, { recursive: true, force: true });
	});

	it("knows the first members and their roles, and has the model whose key was written", async () => {
		const member = async (name: string): Promise<ApiClient> => {
			const { accessToken } = await provider.login(name);
			return new ApiClient(`${url}/api/v1/svc`, { authorization: `Bearer ${accessToken}` });
		};
		const [ada, ben] = [await member("ada"), await member("ben")];
		expect((await ada.get<{ roles: string[] }>("/me")).body.roles).to.include("admin");
		expect((await ben.get<{ roles: string[] }>("/me")).body.roles).to.deep.equal(["developer"]);
		const { body: models } = await ben.get<{ id: string; available: boolean }[]>("/models");
		expect(models.filter(({ available }) => available).map(({ id }) => id)).to.include("claude-sonnet-4-6");
	});

	it("runs a session for somebody who has logged in, and nobody else", async () => {
		const { accessToken } = await provider.login("ada");
		const api = new ApiClient(`${url}/api/v1/svc`, { authorization: `Bearer ${accessToken}` });
		expect((await new ApiClient(`${url}/api/v1/svc`).get("/sessions")).status).to.equal(401);
		const repo = fileUrl(makeRepository(join(folder, "repository")));
		const created = await api.post<SessionView>("/sessions", { name: "first", source: { type: "git", repo } });
		expect(created.status, created.text).to.equal(201);
		await sessionReaches(api, created.body.id, "running");
		expect(await ask(api, created.body.id, "$ echo from one server")).to.include("from one server");
		await api.post(`/sessions/${created.body.id}/stop`);
		await sessionReaches(api, created.body.id, "stopped");
	});
});
