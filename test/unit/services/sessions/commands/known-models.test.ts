import { expect } from "chai";
import { KnownModels } from "#services/sessions/commands/known-models.ts";
import { UnprocessableError } from "#shared/base/errors.ts";
import { readModelCatalogue } from "#shared/wire/models/model-catalogue.ts";

describe("KnownModels", () => {
	const catalogue = readModelCatalogue("config/models.yaml");
	const known = new KnownModels(catalogue);

	it("accepts every model of the catalogue, and none at all", () => {
		expect(catalogue.models).not.to.deep.equal([]);
		for (const model of ["", ...catalogue.models.map(({ id }) => id)]) known.refuseUnknown(model);
	});

	it("knows the names that clients of the contract send, and gives settings the id of the model", () => {
		const aliases = catalogue.models.flatMap(({ id, aliases: own = [] }) => own.map((alias) => [alias, id]));
		expect(aliases).to.deep.include(["claude-sonnet-4", "claude-sonnet-4-6"]);
		for (const [alias = "", id] of aliases) {
			known.refuseUnknown(alias);
			expect(known.named({ name: "x", model: alias })).to.deep.equal({ name: "x", model: id });
			expect(known.termsOf(alias)?.model).to.equal(id);
		}
		for (const model of ["", null, "gpt-0", "claude-sonnet-4-6"])
			expect(known.named({ model })).to.deep.equal({ model });
	});

	it("refuses any other by its name", () => {
		const [first] = catalogue.models;
		for (const model of ["gpt-0", ` ${first?.id}`, first?.id.toUpperCase() ?? ""]) {
			expect(() => known.refuseUnknown(model))
				.to.throw(UnprocessableError, `There is no model "${model}"`)
				.with.property("type", "MODEL_UNKNOWN");
		}
	});
});
