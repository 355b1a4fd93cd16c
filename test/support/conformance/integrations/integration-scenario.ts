/** One pass over the catalogue and the connections of a person. */
import { expect } from "chai";
import { loginEntries } from "../oauth/oauth-scenario.ts";
import { gitHostTypes } from "#shared/base/git-hosts.ts";
import { walkPages } from "../settings-scenario.ts";
import type { Walker } from "../walker.ts";

interface EntryView {
	slug: string;
	name: string;
	integration_type: string;
}

interface ConnectionView {
	id: string;
	slug: string;
	adapter: string;
	credential_name: string;
	config: Record<string, string>;
	enabled: boolean;
}

interface TestView {
	success: boolean;
	provider: string;
	error: string | null;
}

/** The built-in entries: behaviour.md 13 with ours, and every git host; then those of the walk over logins. */
const entries: readonly (readonly [slug: string, type: string])[] = [
	["anthropic", "ai_provider"],
	["github-issues", "issue_tracker"],
	["jira", "issue_tracker"],
	["linear", "issue_tracker"],
	["openai", "ai_provider"],
	["telegram", "messaging"],
	["volundr", "code_forge"],
	...gitHostTypes.map((type) => [type, "source_control"] as const),
	...loginEntries,
];

/** Requests that the catalogue does not allow. */
const refused: readonly object[] = [
	{ integration_type: "none" },
	{ integration_type: "source_control" },
	{ integration_type: "source_control", slug: "none" },
	{ integration_type: "messaging", slug: "github" },
	{ integration_type: "source_control", slug: "github", adapter: "services/evil.ts#Evil" },
	{ integration_type: "source_control", slug: "github", config: { color: "red" } },
	{ integration_type: "source_control", slug: "github", config: { base_url: "http://169.254.169.254/" } },
	{ integration_type: "issue_tracker", slug: "jira" },
];

export async function walkIntegrations(walker: Walker): Promise<void> {
	const catalog = await walker.call<EntryView[]>("listCatalog", 200);
	expect(catalog.map(({ slug, integration_type }) => [slug, integration_type])).to.have.deep.members(entries);
	const names = catalog.map(({ name }) => name);
	expect(names).to.deep.equal(names.toSorted());
	expect(JSON.stringify(catalog)).not.to.contain("file_mounts");
	await walkPages(walker, "listCatalog", entries.length);

	const create = (body: object) =>
		walker.call<ConnectionView>("createIntegration", 201, { body: { credential_name: "none", ...body } });
	for (const body of refused)
		await walker.call("createIntegration", 422, { body: { credential_name: "none", ...body } });
	const github = await create({
		integration_type: "source_control",
		slug: "github",
		config: { base_url: "https://github.example/api/v3" },
	});
	expect(github).to.include({ adapter: "github", enabled: true });
	const telegram = await create({ integration_type: "messaging", enabled: false });
	expect(telegram).to.include({ slug: "telegram", adapter: "", enabled: false });
	const linear = await create({ integration_type: "issue_tracker", adapter: "linear" });
	expect(linear).to.include({ slug: "linear", adapter: "linear" });
	const listed = await walker.call<ConnectionView[]>("listIntegrations", 200);
	expect(listed.map(({ slug }) => slug)).to.deep.equal(["linear", "telegram", "github"]);
	await walkPages(walker, "listIntegrations", 3);
	await walkOne(walker, github);
	await walkTests(walker, telegram.id);
	for (const { id } of listed) await walker.call("deleteIntegration", 204, { path: { id } });
	await walker.call("deleteIntegration", 404, { path: { id: github.id } });
}

async function walkOne(walker: Walker, { id }: ConnectionView): Promise<void> {
	const change = (body: object) => walker.call<ConnectionView>("updateIntegration", 200, { path: { id }, body });
	const changed = await change({ enabled: false, config: null, credential_name: null });
	expect(changed).to.deep.include({ enabled: false, config: { base_url: "https://github.example/api/v3" } });
	expect(await change({ config: { orgs: "acme" }, credential_name: "other" })).to.deep.include({
		enabled: false,
		config: { orgs: "acme" },
		credential_name: "other",
	});
	await walker.call("updateIntegration", 422, { path: { id }, body: { config: { color: "red" } } });
}

async function walkTests(walker: Walker, id: string): Promise<void> {
	const test = () => walker.call<TestView>("testIntegration", 200, { path: { id } });
	expect(await test()).to.include({ success: false, provider: "telegram" });
	const data = { bot_token: "1:x", chat_id: "1" };
	await walker.call("createCredential", 201, { body: { name: "none", data } });
	const { success, error } = await test();
	expect([success, error]).to.deep.equal([false, "Telegram cannot be tested: this is not supported"]);
	await walker.call("deleteCredential", 204, { path: { name: "none" } });
}
