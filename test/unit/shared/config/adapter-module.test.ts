import { expect } from "chai";
import { adapterClass, missingAdapter } from "#shared/config/adapter-module.ts";
import { StartError } from "#shared/base/start-error.ts";
import { failureOf } from "../../../support/failure-of.ts";

describe("adapterClass()", () => {
	it("returns the class", async () => {
		expect((await adapterClass("shared/base/start-error.ts#StartError")).name).to.equal("StartError");
	});

	for (const [adapter, sentence] of [
		["shared/base/start-error.ts#StartEror", /has no class "StartEror"; did you mean "StartError"\?$/],
		["shared/base/start-error.ts#Mongo", /has no class "Mongo"; it has: SettingError, StartError$/],
		[
			"shared/base/start-eror.ts#StartError",
			/no file "shared\/base\/start-eror\.ts"; did you mean "shared\/base\/start-error\.ts"\?/,
		],
		["shard/none/x.ts#X", /no file "shard\/none\/x\.ts" \(docs/],
		["test/fixtures/no-such-import.ts#X", /no file/],
	] as const)
		it(`refuses ${adapter} with a sentence`, async () => {
			const error = await failureOf(adapterClass(adapter));
			expect(error).to.be.instanceOf(StartError);
			expect((error as Error).message)
				.to.match(/^Cannot load adapter "/)
				.and.match(sentence);
		});
});

describe("missingAdapter()", () => {
	it("is nothing for a text that names no module", () => {
		for (const text of ["", "github", "shared/base/start-error.ts#None"])
			expect(missingAdapter(text)).to.equal(undefined);
	});
});
