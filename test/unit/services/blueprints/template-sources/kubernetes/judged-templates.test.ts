import { expect } from "chai";
import { judgedTemplates, maxTemplates } from "#services/blueprints/template-sources/kubernetes/judged-templates.ts";
import {
	type TemplateRecord,
	templateRecord,
} from "#services/blueprints/template-sources/kubernetes/template-record.ts";

function record(name: string, spec: object = {}): TemplateRecord {
	return templateRecord({ metadata: { name, uid: name, resourceVersion: "1" }, spec });
}

function reasons(records: readonly TemplateRecord[]): Record<string, string> {
	const { judgements } = judgedTemplates(records, () => undefined);
	return Object.fromEntries(judgements.map(({ record: { name }, acceptance }) => [name, acceptance.reason]));
}

describe("judgedTemplates()", () => {
	it("offers the first default by name of each type of sessions, in whatever order they come", () => {
		const records = [
			record("c", { isDefault: true }),
			record("b", { isDefault: true }),
			record("a"),
			record("d", { isDefault: true, workloadType: "review" }),
		];
		const expected = { a: "Accepted", b: "Accepted", c: "SecondDefault", d: "Accepted" };
		expect(reasons(records)).to.deep.equal(expected);
		expect(reasons(records.toReversed())).to.deep.equal(expected);
	});

	it("counts no default that is not offered", () => {
		const records = [record("a", { isDefault: true, envVars: { PATH: "x" } }), record("b", { isDefault: true })];
		expect(reasons(records)).to.deep.equal({ a: "InvalidMember", b: "Accepted" });
	});

	it("does not offer those that name what is not known, and says why", () => {
		const { list } = judgedTemplates([record("a", { model: "m" }), record("b")], ({ model }) =>
			model === "m" ? { reason: "UnknownModel", message: "There is no model" } : undefined,
		);
		expect(list.templates.map(({ name }) => name)).to.deep.equal(["b"]);
		expect(list.faults).to.deep.equal([
			{ origin: "a", name: "a", sentence: 'Template "a" of the cluster: There is no model' },
		]);
	});

	it("offers so many, the first by name", () => {
		const names = Array.from({ length: maxTemplates + 1 }, (_, index) => `t${String(index).padStart(4, "0")}`);
		const told = Object.entries(reasons(names.map((name) => record(name))));
		expect(told.filter(([, reason]) => reason === "TooMany")).to.deep.equal([[names.at(-1), "TooMany"]]);
	});
});
