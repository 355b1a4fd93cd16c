import { expect } from "chai";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openIssuer } from "#services/pat/issue/open-issuer.ts";
import { loadConfig } from "#shared/config/config.ts";
import { StartError } from "#shared/base/start-error.ts";
import { failureOf } from "../../../support/failure-of.ts";

const cure = "elsewhere, give it in the environment variable PAT__TOKEN_ISSUER_KWARGS__CLIENT_SECRET";
const adapter = "services/pat/token-issuers/token-exchange.ts#TokenExchange";

describe("keys that are values of the Helm chart", () => {
	const folder = mkdtempSync(join(tmpdir(), "atelier-keys-"));
	after(() => rmSync(folder, { recursive: true }));

	for (const key of ["issuerSecretName", "issuerSecretKey", "issuer_secret_name"]) {
		it(`are told from misspelt ones, and the sentence says what to use: ${key}, wherever it is`, async () => {
			const file = join(folder, `${key}.yaml`);
			writeFileSync(file, `pat:\n  ${key}: planted\n`);
			expect(() => loadConfig({ ATELIER_CONFIG: file })).to.throw(
				StartError,
				`"pat.${key}" is a value of the Helm chart`,
			);
			expect(() => loadConfig({ ATELIER_CONFIG: file }))
				.to.throw(cure)
				.with.property("message")
				.that.not.includes("planted");
			const variable = `PAT__${key.toUpperCase()}`;
			expect(() => loadConfig({ [variable]: "planted" })).to.throw(StartError, cure);
			const { pat, identity } = loadConfig({
				PAT__TOKEN_ISSUER_ADAPTER: adapter,
				[`PAT__TOKEN_ISSUER_KWARGS__${key.toUpperCase()}`]: "planted",
			});
			const failure = await failureOf<Error>(openIssuer({ pat, identity }, Buffer.alloc(32)));
			expect(failure).to.be.instanceOf(StartError);
			expect(failure.message).to.include(cure).and.to.not.include("planted");
		});
	}

	it("are no others: a misspelt key is told with the allowed ones", () => {
		expect(() => loadConfig({ PAT__ISSUER_SECRET: "x" })).to.throw(StartError, "names no key of the configuration");
	});
});
