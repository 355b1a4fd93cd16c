import { expect } from "chai";
import { waitingOf } from "#services/pod-manager/pod-runtimes/local-process/local-process-options.ts";
import { MemorySecrets } from "#services/settings/secret-stores/memory.ts";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { loadAdapter } from "#shared/config/adapter.ts";
import type { AdapterRef } from "#shared/config/fields/adapter-fields.ts";
import { loadConfig } from "#shared/config/config.ts";
import { projectRoot } from "#shared/base/project-root.ts";
import { StartError } from "#shared/base/start-error.ts";

/** Returns the sources of the platform by their path. */
function sources(): Map<string, string> {
	const folders = ["services", "host", "shared"].flatMap((folder) =>
		readdirSync(join(projectRoot, folder), { recursive: true, encoding: "utf8" }).map((name) => `${folder}/${name}`),
	);
	const files = folders.filter((name) => name.endsWith(".ts"));
	return new Map(files.map((name) => [name, readFileSync(join(projectRoot, name), "utf8")]));
}

/** Returns the classes that a configuration can name: those of the ports that are loaded somewhere, and their descendants. */
function adapters(): string[] {
	const texts = [...sources()];
	const ports = new Set(texts.flatMap(([, text]) => [...text.matchAll(/loadAdapter<(\w+)>/g)].map(([, port]) => port)));
	const classes = texts.flatMap(([path, text]) =>
		[...text.matchAll(/^export (abstract )?class (\w+) (?:implements|extends) (\w+)/gm)].map(
			([, abstract, name, above]) => ({ path, name, above, isAbstract: abstract !== undefined }),
		),
	);
	const direct = classes.filter(({ above }) => ports.has(above));
	const names = new Set(direct.map(({ name }) => name));
	const all = [...direct, ...classes.filter(({ above }) => names.has(above))];
	return all.filter(({ isAbstract }) => !isAbstract).map(({ path, name }) => `${path}#${name}`);
}

/** Resolves to the sentence that ends the start with this adapter. */
async function refusal(ref: AdapterRef): Promise<string> {
	try {
		await loadAdapter(ref, []);
	} catch (error) {
		if (error instanceof StartError) return error.message;
		throw error;
	}
	return expect.fail(`"${ref.adapter}" is accepted`);
}

describe("loadAdapter() with arguments of the environment", () => {
	const identity = "services/gateway/identity-providers/forwarded.ts#ForwardedIdentity";
	const env = { IDENTITY__ADAPTER: identity, IDENTITY__KWARGS__SECRET: "1".repeat(32) };
	const load = (more: Record<string, string>) => loadConfig({ ...env, ...more }).identity;

	it("reads those that are no text, and leaves texts alone", async () => {
		const ref = load({ IDENTITY__KWARGS__NAMES_TENANTS: "true", IDENTITY__KWARGS__CLAIMS_LAST_SECONDS: "600" });
		const adapter = await loadAdapter<{ authenticate: unknown; claimsLastMs: number }>(ref, ["authenticate"]);
		expect(adapter.claimsLastMs).to.equal(600_000);
		await loadAdapter(load({ IDENTITY__KWARGS: `{names_tenants: true, secret: "${"1".repeat(32)}"}` }), []);
	});

	it("ends the start with a sentence for every wrong one", async () => {
		expect(await refusal(load({ IDENTITY__KWARGS__NAMES_TENANTS: "perhaps" }))).to.include("names_tenants");
		expect(await refusal(load({ IDENTITY__KWARGS__NAMES_TENANTS: "[a, b" }))).to.include('argument "names_tenants"');
		const secrets = { adapter: "services/settings/secret-stores/memory.ts#MemorySecrets", secret_kwargs_env: {} };
		const { typedKwargs } = MemorySecrets;
		for (const name of typedKwargs) {
			expect(MemorySecrets.kwargs, name).to.include(name);
			await loadAdapter({ ...secrets, kwargs: { [name]: "7" } }, []);
		}
		expect(() => waitingOf({ waiting: 99 })).to.throw(StartError, '"pods.runtime.kwargs.waiting"');
	});
});

describe("loadAdapter()", () => {
	const found = adapters();

	it("knows the adapters of every port", () => {
		for (const name of [
			"DevIdentity",
			"OidcTeamIdentity",
			"MongodbStore",
			"FileInjection",
			"JiraTracker",
			"LocalHs256",
		])
			expect(
				found.filter((adapter) => adapter.endsWith(`#${name}`)),
				name,
			).to.have.length(1);
		expect(found.length).to.be.at.least(20);
	});

	for (const adapter of found) {
		it(`refuses an argument that ${adapter.split("#")[1]} does not have`, async () => {
			for (const arguments_ of [
				{ kwargs: { not_an_argument: "planted" }, secret_kwargs_env: {} },
				{ kwargs: {}, secret_kwargs_env: { not_an_argument: "PLANTED" } },
			]) {
				const sentence = await refusal({ adapter, ...arguments_ });
				expect(sentence).to.include(`The adapter "${adapter}" has no argument "not_an_argument"; known: `);
				expect(sentence.toLowerCase()).not.to.include("planted");
			}
		});
	}

	it("says which arguments there are, and which one was probably meant", async () => {
		const { credential_store } = loadConfig({ CREDENTIAL_STORE__KWARGS__BASEDIR: "/x" });
		expect(await refusal(credential_store)).to.equal(
			'The adapter "services/credentials/credential-stores/file.ts#FileCredentials" has no argument "basedir"; did you mean "base_dir"? Known: base_dir, encryption_key, max_per_owner. Correct its kwargs, or name the adapter that has this argument',
		);
	});

	it("refuses the specification's arguments of another injection than the configured one", async () => {
		const { secret_injection } = loadConfig({ SECRET_INJECTION__KWARGS__TOKEN_TTL_SECONDS: "60" });
		expect(await refusal(secret_injection)).to.equal(
			'The adapter "services/credentials/secret-injections/file.ts#FileInjection" has no argument "token_ttl_seconds"; known: none. Correct its kwargs, or name the adapter that has this argument',
		);
	});
});
