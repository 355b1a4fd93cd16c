import { expect } from "chai";
import { readModelSettings } from "#agent/builtin/model/model-settings.ts";

const env = {
	ATELIER_MODEL: "m",
	ATELIER_MODEL_WIRE: "anthropic",
	ATELIER_MODEL_URL: "http://127.0.0.1:1/anthropic/",
	ATELIER_MODEL_TOKEN: "t",
	ATELIER_MODEL_CONTEXT: "200000",
};

describe("readModelSettings()", () => {
	it("reads all settings, with defaults for optional ones", () => {
		expect(readModelSettings(env)).to.deep.equal({
			model: "m",
			wire: "anthropic",
			url: "http://127.0.0.1:1/anthropic",
			token: "t",
			contextWindow: 200_000,
			idleMs: 60_000,
			stateFolder: undefined,
		});
		const all = { ...env, ATELIER_MODEL_IDLE_MS: "5", ATELIER_AGENT_STATE: "/s" };
		expect(readModelSettings(all)).to.include({ idleMs: 5, stateFolder: "/s" });
	});

	for (const name of Object.keys(env)) {
		it(`finds no model without ${name}`, () => {
			expect(readModelSettings({ ...env, [name]: undefined })).to.equal(undefined);
			expect(readModelSettings({ ...env, [name]: "" })).to.equal(undefined);
		});
	}

	const wrong: [name: string, value: string][] = [
		["ATELIER_MODEL_WIRE", "gemini"],
		["ATELIER_MODEL_URL", "no url"],
		["ATELIER_MODEL_CONTEXT", "-1"],
		["ATELIER_MODEL_CONTEXT", "many"],
	];
	for (const [name, value] of wrong) {
		it(`finds no model when ${name} is "${value}"`, () => {
			expect(readModelSettings({ ...env, [name]: value })).to.equal(undefined);
		});
	}
});
