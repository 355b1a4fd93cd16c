import { expect } from "chai";
import { ConfigError } from "#shared/config/config.ts";
import { refuseMalformedKeys } from "#shared/wire/models/provider-key.ts";

const provider = { id: "some", location: "cloud", endpoints: {}, key_env: "SOME_KEY" } as const;

describe("refuseMalformedKeys()", () => {
	for (const key of ["", "sk-ant-api03_A.b-C/d=", "~!"]) {
		it(`takes ${JSON.stringify(key)}`, () => refuseMalformedKeys([provider], () => key));
	}

	for (const key of ["secret\n", "two words", "\u201csecret\u201d", "secret\u0000"]) {
		it(`refuses ${JSON.stringify(key)}, and does not repeat it`, () => {
			expect(() => refuseMalformedKeys([{ ...provider, key_env: "" }, provider], () => key))
				.to.throw(ConfigError, '"SOME_KEY" cannot be the key of the model provider "some"')
				.with.property("message")
				.that.does.not.include(key.trim());
		});
	}
});
