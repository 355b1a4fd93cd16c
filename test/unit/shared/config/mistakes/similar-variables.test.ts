import { expect } from "chai";
import { configSchema } from "#shared/config/config-schema.ts";
import { similarToUnset, similarVariables } from "#shared/config/mistakes/similar-variables.ts";

const told = (env: NodeJS.ProcessEnv) => similarVariables(env, configSchema);

describe("similarVariables()", () => {
	const meant: Record<string, string> = {
		GATEWY__PORT: "GATEWAY__PORT",
		GATEWAY_PORT: "GATEWAY__PORT",
		PODS_ON_EXIT: "PODS__ON_EXIT",
		DATADIR: "DATA_DIR",
		ATELIER_PORT: "PORT",
		ATELIER_DATA_DIR: "DATA_DIR",
		ATELIER_CONFG: "ATELIER_CONFIG",
		ATELIER_TOKN: "ATELIER_TOKEN",
	};
	for (const [name, other] of Object.entries(meant))
		it(`says what was meant by ${name}, without its value`, () => {
			expect(told({ [name]: "canary" })).to.equal(
				`The platform reads no environment variable of these names: ${name} (did you mean ${other}?)`,
			);
		});

	it("makes one sentence of all of them", () => {
		expect(told({ DATADIR: "/x", PATH: "/bin", GATEWY__PORT: "3" })?.split("did you mean")).to.have.length(3);
	});

	it("says nothing of variables that are read, or that other programs have", () => {
		const read = {
			PORT: "1",
			HOST: "h",
			DATA_DIR: "/x",
			GATEWAY__PORT: "1",
			gateway__port: "1",
			STORE__KWARGS__X: "1",
		};
		const own = { ATELIER_CONFIG: "/x", ATELIER_URL: "u", ATELIER_TOKEN: "t", ATELIER_SESSION: "s", ATELIER_HOST: "h" };
		const foreign = {
			HOME: "/x",
			USER: "u",
			UNRELATED__THING: "x",
			HOSTNAME: "h",
			SUPPORT: "1",
			__PROTO__X: "1",
			_: "x",
		};
		const cluster = { GATEWAY_PORT: "tcp://10.0.0.1:80" };
		expect(told({ ...read, ...own, ...foreign, ...cluster })).to.equal(undefined);
		expect(told({ PATH: "/bin", LOGNAME: "x", npm_config_cache: "/x", XDG_DATA_HOME: "/x", __CF_USER: "1" })).to.equal(
			undefined,
		);
	});
});

describe("similarToUnset()", () => {
	const keys = ["ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY", ""];

	for (const name of ["ANTROPIC_API_KEY", "ANTHROPIC_APIKEY", "anthropic_api_key", "ANTHROPIC_API_KYE"])
		it(`says what was meant by ${name}, without its value`, () => {
			expect(similarToUnset(keys, { [name]: "canary" })).to.equal(
				`The platform reads no environment variable of these names: ${name} (did you mean ANTHROPIC_API_KEY?)`,
			);
		});

	it("says nothing of keys that are set, of similar ones beside them, of empty ones, and of other programs", () => {
		const others = { XAI_API_KEY: "x", GROQ_API_KEY: "x", MISTRAL_API_KEY: "x", HOME: "/x", PATH: "/bin", A: "1" };
		expect(similarToUnset(keys, others)).to.equal(undefined);
		expect(similarToUnset(keys, { ANTHROPIC_API_KEY: "k", ANTHROPIC_API_KEY2: "k" })).to.equal(undefined);
		expect(similarToUnset(keys, { ANTROPIC_API_KEY: "" })).to.equal(undefined);
	});
});
